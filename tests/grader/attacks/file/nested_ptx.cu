// expect: compile
// Blocks within blocks, deeper than a reader that calls itself has stack.
#include "lab.h"
#define OPEN "{{{{{{{{{{{{{{{{"
#define SHUT "}}}}}}}}}}}}}}}}"
#define TIMES(x) x x x x x x x x x x x x x x x x
__global__ void deep() { asm volatile(TIMES(TIMES(TIMES(OPEN))) TIMES(TIMES(TIMES(SHUT)))); }
cudaError_t launch(const float*, float*, int, cudaStream_t stream) {
    deep<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}
LAB_ENTRY(launch)
