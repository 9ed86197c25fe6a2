// expect: 0
// A line of PTX in which everything is called a file, for those who look for the names of files.
#include "lab.h"
#include <algorithm>
#define TEN(x) x x x x x x x x x x
__global__ void named(float* out) {
    asm volatile("// " TEN(TEN(TEN(TEN(TEN(".file"))))));
    out[0] = 0;
}
cudaError_t launch(const float*, float* out, int, cudaStream_t stream) {
    named<<<1, 1, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
