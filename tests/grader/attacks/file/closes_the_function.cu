// expect: compile
// Text in an asm statement that ends the function it is in, and begins another one: a kernel of the student's PTX.
#include "lab.h"
__global__ void outer(float* out) {
    asm volatile("ret;\n}\n.visible .entry forged(.param .u64 p) {\n .reg .b64 %%x<4>; ld.param.u64 %%x1, [p]; ");
    out[0] = 1;
}
cudaError_t launch(const float*, float* out, int, cudaStream_t stream) {
    outer<<<1, 1, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
