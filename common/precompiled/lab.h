// For the labs' check.cpp files. See standard.h.
#pragma once

#include "check/check.h"
