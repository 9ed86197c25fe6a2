// For the hazard rules. See standard.h.
#include "precompiled/device.h"
#include "sim/rules/phrases.h"
