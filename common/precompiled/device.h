// For the libraries that execute or watch the device: the standard library and the machine. See standard.h.
#include "precompiled/standard.h"
#include "sim/machine/decoder.h"
#include "sim/machine/exec.h"
