// expect: compile
// Files by way of the device's assembler, and of directives that name source files.
#include "lab.h"
__global__ void reads(float* out) {
    asm volatile(".include \"@SECRETFILE@\"\n.incbin \"@SECRETFILE@\"\n.file 9 \"@SECRETFILE@\"\n.loc 9 1 1");
    out[0] = 1;
}
cudaError_t launch(const float*, float* out, int, cudaStream_t stream) {
    reads<<<1, 1, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
