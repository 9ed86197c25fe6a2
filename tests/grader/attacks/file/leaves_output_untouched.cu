// expect: 0
#include "lab.h"
#include <algorithm>
cudaError_t launch(const float*, float*, int, cudaStream_t) { return cudaSuccess; }
LAB_ENTRY(launch)
