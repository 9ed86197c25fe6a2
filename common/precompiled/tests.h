// For tests of the device. See standard.h.
#pragma once

#include <doctest/doctest.h>

#include "precompiled/standard.h"
