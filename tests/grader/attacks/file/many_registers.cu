// expect: 0
// Registers that are declared and never used: a device that made room for them in every thread would need 60 GiB.
#include "lab.h"
#include <algorithm>
__global__ void greedy(float* out) {
    asm volatile("{ .reg .b64 %many<1000000>; }");
    out[0] = 1;
}
cudaError_t launch(const float*, float* out, int, cudaStream_t stream) {
    greedy<<<64, 1024, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
