// expect: compile
// An assembler refuses ten thousand lines, and each refusal names a line to be looked up.
#include "lab.h"
#define TEN(x) x x x x x x x x x x
__global__ void refused() {
    asm volatile(TEN(TEN(TEN(TEN("add.u32 x, y;\n")))));
}
cudaError_t launch(const float*, float*, int, cudaStream_t stream) {
    refused<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_ENTRY(launch)
