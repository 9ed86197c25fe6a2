// source: facebookexperimental/triton#1553, the blocks of a pair must synchronise between the stores to Tensor Memory
//     and the product of the pair
// cause: The leader issues the product of the pair after a barrier of its own block, although the other block may not
//     have stored its rows of A yet.
// rule: tensor-memory-race
#include "../blackwell.h"

// Each block of the pair stores its 128 rows of A in its own Tensor Memory.
__global__ void __cluster_dims__(2) multiply(float* out) {
    __shared__ alignas(128) uint16_t b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    fence_async();
    cluster_sync();
    if (threadIdx.x < 32)
        alloc<2>(&cells, 32);
    __syncthreads();
    const unsigned d = cells, a = cells + 2 * columns, value = bf16((rank() + threadIdx.x) % 16);
    st(own(a), value << 16 | value);
    wait_st();
    __syncthreads();
    if (rank() == 0 && threadIdx.x == 0) {
        mma_ts<2>(d, a, b); // <-- cause
        commit_all(&done, 3);
    }
    wait_cluster(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    out[blockIdx.x * rows + threadIdx.x] = sum(r);
    cluster_sync();
    if (threadIdx.x < 32)
        dealloc<2>(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(2 * rows));
    multiply<<<2, rows>>>(out);
    return verdict(out, 2 * rows, [](int i) { return of_row(i / rows, i % rows); });
}
