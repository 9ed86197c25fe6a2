// why: each warp stores over the columns that it has loaded itself, without a barrier: no other warp touches its
//     lanes
#include "../blackwell.h"

__global__ void softmax(float* out) {
    __shared__ unsigned cells;
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    __syncthreads();
    const unsigned s = own(cells);
    st(s, __float_as_uint(float(threadIdx.x)));
    wait_st();
    const Row scores = ld(s);
    wait_ld();
    st(s, __float_as_uint(sum(scores)));
    wait_st();
    const Row p = ld(s);
    wait_ld();
    out[threadIdx.x] = sum(p);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(cells, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    softmax<<<1, rows>>>(out);
    return verdict(out, rows, [](int i) { return float(columns * columns * i); });
}
