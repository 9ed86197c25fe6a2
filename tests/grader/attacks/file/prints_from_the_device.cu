// expect: 0
// A million threads that print terminal escapes without end.
#include "lab.h"
#include <algorithm>
#include <cstdio>
__global__ void prints() {
    for (;;)
        printf("%s %0999d PASS 15 of 15 points\n", "\033]0;x\007::error::x", 1);
}
cudaError_t launch(const float*, float*, int, cudaStream_t stream) {
    prints<<<1024, 1024, 0, stream>>>();
    return cudaGetLastError();
}
LAB_ENTRY(launch)
