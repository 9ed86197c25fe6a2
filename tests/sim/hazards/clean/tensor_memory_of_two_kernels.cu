// Compile with --arch compute_100a. More blocks than fit side by side allocate half of an SM's columns each, in two
// kernels of one stream; a block frees before its last stores, and another warp allocates again.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

constexpr int blocks = 24;

__global__ void pass(float* values, int round) {
    __shared__ unsigned cells, again;
    if (threadIdx.x < 32)
        alloc(&cells, 256);
    __syncthreads();
    const unsigned at = blockIdx.x * rows + threadIdx.x;
    st(own(cells) + 248, __float_as_uint(values[at]));
    wait_st();
    const Row r = ld(own(cells) + 248);
    wait_ld();
    __syncthreads();
    if (threadIdx.x >= 96) {
        dealloc(cells, 256);
        alloc(&again, 128);
        relinquish();
    }
    __syncthreads();
    st(own(again), __float_as_uint(sum(r)));
    wait_st();
    values[at] = ld(own(again)).of[round];
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(again, 128);
}

int main() {
    std::vector<float> in(blocks * rows);
    for (int i = 0; i < blocks * rows; ++i)
        in[i] = float(i);
    float* values = to_device(in);
    for (int round = 0; round < 2; ++round)
        pass<<<blocks, rows>>>(values, round);
    return verdict(values, blocks * rows, [](int i) { return float(columns * columns * i); });
}

/*
== wrong/tensor_memory_allocated_again_after_relinquishing
Compile with --arch compute_100a. The block relinquishes too early.

-        alloc(&cells, 256);
+        alloc(&cells, 256), relinquish();

-        alloc(&again, 128);
+        alloc(&again, 128); // error: tensor-memory-misused

== wrong/tensor_memory_freed_twice
Compile with --arch compute_100a. The first allocation is freed once more.

-        dealloc(again, 128);
+        dealloc(again, 128), dealloc(cells, 256); // error: tensor-memory-misused, other
*/
