// For tests of the device. See standard.h.
#include <doctest/doctest.h>

#include "precompiled/standard.h"
