// source: cutlass#2835, the address in Tensor Memory is read from shared memory without any order when there are no
//     KV tiles, and garbage is freed
// cause: When there are no tiles, nothing orders the read of the published address after tcgen05.alloc of another
//     warp.
// rule: read-after-write-race|uninitialised-read
#include "../blackwell.h"

// Warp 0 allocates, warp 1 works and frees.
__global__ void add_up(int count, float* out) {
    __shared__ uint64_t ready;
    __shared__ unsigned cells;
    if (threadIdx.x == 0) {
        init(&ready, 32);
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        alloc(&cells, 32);
        arrive(&ready);
    } else {
        float total = 0;
        if (count > 0)
            wait(&ready, 0);
        for (int t = 0; t < count; ++t) {
            st(own(cells), __float_as_uint(float(t)));
            wait_st();
            const Row r = ld(own(cells));
            wait_ld();
            total += sum(r);
        }
        out[threadIdx.x - 32] = total;
        dealloc(cells, 32); // <-- cause
    }
}

int main() {
    float* out = to_device(std::vector<float>(32));
    add_up<<<1, 64>>>(0, out);
    return verdict(out, 32, [](int) { return 0; });
}
