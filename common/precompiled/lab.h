// For the labs' check.cpp and exercises.cpp. See standard.h.
#include "check/check.h"
