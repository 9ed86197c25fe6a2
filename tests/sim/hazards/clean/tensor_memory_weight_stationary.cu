// Compile with --arch compute_100a. Products of tcgen05.mma.ws, whose B stays: M = 32 leaves a quarter of the columns
// in each quarter of the lanes.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

constexpr int m = 32, n = 64, width = n * m / rows;

__device__ void mma_ws(unsigned d, const void* a, const void* b, bool accumulate) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.ws.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
        "l"(matrix(a)), "l"(matrix(b)), "r"(product(m, n)), "r"(unsigned(accumulate))
        : "memory");
}

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[n * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    fill(a, threadIdx.x, threadIdx.x % 16);
    if (threadIdx.x < n)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, n);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        for (int k = 0; k < 2; ++k)
            mma_ws(d, a, b, k);
        commit(&done);
    }
    wait(&done, 0);
    float total = 0;
    for (int c = 0; c < width; c += columns)
        total += sum(ld(own(d) + c));
    wait_ld();
    out[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, n);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, rows>>>(out);
    return verdict(out, rows, [](int i) { return float(i % m % 16 * 2 * depth * width); });
}

/*
== clean/tensor_memory_weight_stationary_64
Compile with --arch compute_100a. M = 64: half of the columns in each half of the lanes.

-constexpr int m = 32, n = 64, width = n * m / rows;
+constexpr int m = 64, n = 64, width = n * m / rows;

== clean/tensor_memory_weight_stationary_128
Compile with --arch compute_100a. M = 128, and the collector keeps B for the second product.

-constexpr int m = 32, n = 64, width = n * m / rows;
+constexpr int m = 128, n = 64, width = n * m / rows;

-        "{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.ws.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
+        "{ .reg .pred p; setp.ne.u32 p, %4, 0;"
+        "tcgen05.mma.ws.cta_group::1.kind::f16.collector::b1::fill [%0], %1, %2, %3, p; }" ::"r"(d),

== wrong/tensor_memory_weight_stationary_of_8_columns
Compile with --arch compute_100a. N = 8 is one of tcgen05.mma without .ws.

-constexpr int m = 32, n = 64, width = n * m / rows;
+constexpr int m = 32, n = 32, width = n * m / rows;

-            mma_ws(d, a, b, k);
+            mma_ws(d, a, b, k); // error: tensor-descriptor

== wrong/tensor_memory_weight_stationary_without_a_commit
Compile with --arch compute_100a. The thread commits before the second product.

-            mma_ws(d, a, b, k);
-        commit(&done);
+            mma_ws(d, a, b, k), commit(&done); // other

-        total += sum(ld(own(d) + c));
+        total += sum(ld(own(d) + c)); // error: tensor-memory-before-commit

== wrong/tensor_memory_weight_stationary_beside_its_columns
Compile with --arch compute_100a. The sums of M = 128 need all columns, and half of them are allocated.

-constexpr int m = 32, n = 64, width = n * m / rows;
+constexpr int m = 128, n = 64, width = n * m / rows;

-        alloc(&cells, n);
+        alloc(&cells, n / 2);

-            mma_ws(d, a, b, k);
+            mma_ws(d, a, b, k); // error 1: tensor-memory-misused

-        total += sum(ld(own(d) + c));
+        total += sum(ld(own(d) + c)); // error 2: tensor-memory-misused

-        dealloc(d, n);
+        dealloc(d, n / 2);
*/
