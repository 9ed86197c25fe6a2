// Compile with --arch compute_100a. The warps store the scale factors in Tensor Memory; no copy brings them.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint8_t a[tile_bytes], b[columns * 32];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    for (unsigned i = threadIdx.x; i < tile_bytes; i += blockDim.x)
        a[i] = 0x38; // 1.0 of e4m3
    for (unsigned i = threadIdx.x; i < columns * 32; i += blockDim.x)
        b[i] = 0x38;
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells, scales_a = cells + 8, scales_b = cells + 16;
    st(own(scales_a), 0x80808080u); // 2.0 of ue8m0
    st(own(scales_b), 0x7f7f7f7fu);
    wait_st();
    __syncthreads();
    if (threadIdx.x == 0) {
        mma_scaled(d, a, b, scales_a, scales_b);
        commit(&done);
    }
    wait(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    out[threadIdx.x] = sum(r);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, rows>>>(out);
    return verdict(out, rows, [](int) { return float(2 * 32 * columns); });
}

/*
== clean/tensor_memory_stored_scale_factors_in_the_sums
Compile with --arch compute_100a. The scale factors of B are in columns behind those of A, in one store.

-    const unsigned d = cells, scales_a = cells + 8, scales_b = cells + 16;
+    const unsigned d = cells, scales_a = cells + 8, scales_b = cells + 12;
     st(own(scales_a), 0x80808080u); // 2.0 of ue8m0
-    st(own(scales_b), 0x7f7f7f7fu);

-    return verdict(out, rows, [](int) { return float(2 * 32 * columns); });
+    return verdict(out, rows, [](int) { return float(4 * 32 * columns); });

== wrong/tensor_memory_no_scale_factors_of_a
Compile with --arch compute_100a. Nobody stores the scale factors of A.
says: the scale factors of A (scale-A)

-    st(own(scales_a), 0x80808080u); // 2.0 of ue8m0

-        mma_scaled(d, a, b, scales_a, scales_b);
+        mma_scaled(d, a, b, scales_a, scales_b); // error: uninitialised-read

== wrong/tensor_memory_no_scale_factors_of_b
Compile with --arch compute_100a. Nobody stores those of B.
says: the scale factors of B (scale-B)

-    st(own(scales_b), 0x7f7f7f7fu);

-        mma_scaled(d, a, b, scales_a, scales_b);
+        mma_scaled(d, a, b, scales_a, scales_b); // error: uninitialised-read

== wrong/tensor_memory_scale_factors_not_waited_for
Compile with --arch compute_100a. The stores may not be complete when the product begins.

-    st(own(scales_a), 0x80808080u); // 2.0 of ue8m0
-    st(own(scales_b), 0x7f7f7f7fu);
-    wait_st();
+    st(own(scales_a), 0x80808080u); // other 1
+    st(own(scales_b), 0x7f7f7f7fu); // other 2

         mma_scaled(d, a, b, scales_a, scales_b);
+        // error 1: tensor-memory-not-waited, error 2: tensor-memory-not-waited

== wrong/tensor_memory_scale_factors_of_other_warps
Compile with --arch compute_100a. Nothing orders the other warps' stores before the product.

-    st(own(scales_a), 0x80808080u); // 2.0 of ue8m0
-    st(own(scales_b), 0x7f7f7f7fu);
+    st(own(scales_a), 0x80808080u); // error 1: tensor-memory-before-commit
+    st(own(scales_b), 0x7f7f7f7fu); // error 2: tensor-memory-before-commit
     wait_st();
-    __syncthreads();
     if (threadIdx.x == 0) {
-        mma_scaled(d, a, b, scales_a, scales_b);
+        mma_scaled(d, a, b, scales_a, scales_b); // other 1, other 2
*/
