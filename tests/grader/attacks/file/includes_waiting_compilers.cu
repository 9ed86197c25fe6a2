// expect: compile
// Files of the compilers that wait behind the headers, and what they have open.
#include "lab.h"
#include "rest.ii"
#include "prefix.ii"
#include "../servers/0-compute_80/main.ii"
#include "../../servers/2-host-compute_80/headers.cpp"
#include "/proc/self/fd/3"
#include "/proc/self/fd/10"
#include "/proc/self/fd/100"
#include "/proc/self/environ"
cudaError_t launch(const float*, float*, int, cudaStream_t) { return cudaSuccess; }
LAB_ENTRY(launch)
