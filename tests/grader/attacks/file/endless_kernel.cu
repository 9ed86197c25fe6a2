// expect: 0
#include "lab.h"
#include <algorithm>
__global__ void endless(float* out) {
    for (unsigned i = 0;; ++i)
        if (i * 2654435761u == 17)
            *out = static_cast<float>(i);
}
cudaError_t launch(const float*, float* out, int n, cudaStream_t stream) {
    if (n > 0)
        endless<<<1, 32, 0, stream>>>(out);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
