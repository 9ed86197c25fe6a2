// For the labs' check.cpp files. See standard.h.
#include "check/check.h"
