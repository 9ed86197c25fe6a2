// expect: 0
// The compiler that waits gets text that has been preprocessed. It must not preprocess it once more: lines in a string
// that look like directives are none.
#include "lab.h"
#include <cstdio>
#define DIRECTIVE _Pragma("include \"@SECRETFILE@\"")
static const char text[] = R"(
#include "@SECRETFILE@"
# 1 "@SECRETFILE@"
#pragma include "@SECRETFILE@"
)";
__device__ const char on_the_device[] = R"(
#include "@SECRETFILE@"
)";
DIRECTIVE
__global__ void stencil(float* out) {
    printf("%s\n", on_the_device);
    out[0] = 0;
}
cudaError_t launch(const float*, float* out, int n, cudaStream_t stream) {
    std::printf("%s\n", text);
    if (n)
        stencil<<<1, 1, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
