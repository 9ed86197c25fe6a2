// For the hazard detector. See standard.h.
#include "precompiled/device.h"
#include "sim/detector/trackers.h"
