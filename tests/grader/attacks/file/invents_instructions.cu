// expect: compile
// PTX that no assembler knows, with names that a reader might take for its own.
#include "lab.h"
__global__ void inventive(float* out) {
    asm volatile("check.passed.all [%0], \"15 of 15\"; .pragma \"verdict passed\"; .version 99.9 .target sm_999" ::"l"(out));
}
cudaError_t launch(const float*, float* out, int, cudaStream_t stream) {
    inventive<<<1, 1, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
