// What all rules include. See standard.h.
#include <fmt/format.h>

#include "sim/rules/phrases.h"
