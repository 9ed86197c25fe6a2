// Compile with --arch compute_100a. The last warp allocates. Each warp stores its lanes, 16 at a time, in one shape,
// loads them in the same one, and adds up their rows in another.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

constexpr unsigned count = 64;

__device__ void store(unsigned lanes, unsigned first, unsigned second) {
    asm volatile("tcgen05.st.sync.aligned.16x64b.x2.b32 [%0], {%1, %2};" ::"r"(lanes), "r"(first), "r"(second)
                 : "memory");
}

__device__ void load(unsigned lanes, unsigned& first, unsigned& second) {
    asm volatile("tcgen05.ld.sync.aligned.16x64b.x2.b32 {%0, %1}, [%2];"
                 : "=r"(first), "=r"(second)
                 : "r"(lanes)
                 : "memory");
}

__global__ void pass(float* out) {
    __shared__ unsigned cells;
    if (threadIdx.x >= rows - 32)
        alloc(&cells, count);
    __syncthreads();
    const unsigned d = own(cells), i = threadIdx.x;
    st(d, 0);
    wait_st();
    float wrong = 0;
    for (unsigned half = 0; half < 2; ++half) {
        const unsigned lanes = d + (16 * half << 16);
        unsigned first, second;
        store(lanes, __float_as_uint(i + 256 * half), __float_as_uint(i + 256 * half + 128));
        wait_st();
        load(lanes, first, second);
        wait_ld();
        wrong += __uint_as_float(first) != i + 256 * half;
        wrong += __uint_as_float(second) != i + 256 * half + 128;
    }
    const Row row = ld(d);
    wait_ld();
    atomicAdd(out, sum(row));
    atomicAdd(out + 1, wrong);
    __syncthreads();
    if (threadIdx.x >= rows - 32)
        dealloc(cells, count);
}

int main() {
    float* out = to_device(std::vector<float>(2));
    pass<<<1, rows>>>(out);
    return verdict(out, 2, [](int i) { return float(i ? 0 : 512 * 511 / 2); });
}

/*
== clean/tensor_memory_round_trips_16x128b
Compile with --arch compute_100a. The same, in quarters of a row.

-    asm volatile("tcgen05.st.sync.aligned.16x64b.x2.b32 [%0], {%1, %2};" ::"r"(lanes), "r"(first), "r"(second)
+    asm volatile("tcgen05.st.sync.aligned.16x128b.x1.b32 [%0], {%1, %2};" ::"r"(lanes), "r"(first), "r"(second)

-    asm volatile("tcgen05.ld.sync.aligned.16x64b.x2.b32 {%0, %1}, [%2];"
+    asm volatile("tcgen05.ld.sync.aligned.16x128b.x1.b32 {%0, %1}, [%2];"

== clean/tensor_memory_round_trips_16x32bx2
Compile with --arch compute_100a. The same, in two halves, the second of which begins four columns after the first.

-    asm volatile("tcgen05.st.sync.aligned.16x64b.x2.b32 [%0], {%1, %2};" ::"r"(lanes), "r"(first), "r"(second)
+    asm volatile("tcgen05.st.sync.aligned.16x32bx2.x2.b32 [%0], 4, {%1, %2};" ::"r"(lanes), "r"(first), "r"(second)

-    asm volatile("tcgen05.ld.sync.aligned.16x64b.x2.b32 {%0, %1}, [%2];"
+    asm volatile("tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%0, %1}, [%2], 4;"

== clean/tensor_memory_round_trips_in_two_shapes
Compile with --arch compute_100a. What is stored in one shape is added up in another, before any wait for the load.

-        load(lanes, first, second);
-        wait_ld();
-        wrong += __uint_as_float(first) != i + 256 * half;
-        wrong += __uint_as_float(second) != i + 256 * half + 128;
+        asm volatile("tcgen05.ld.sync.aligned.16x128b.x1.b32 {%0, %1}, [%2];"
+                     : "=r"(first), "=r"(second)
+                     : "r"(lanes)
+                     : "memory");
+        wrong += __uint_as_float(first) + __uint_as_float(second) > 1022;

== wrong/tensor_memory_loaded_without_a_wait_in_another_shape
Compile with --arch compute_100a. The stores of half of the lanes are not waited for.

-    st(d, 0);
-    wait_st();

-        store(lanes, __float_as_uint(i + 256 * half), __float_as_uint(i + 256 * half + 128));
-        wait_st();
-        load(lanes, first, second);
+        store(lanes, __float_as_uint(i + 256 * half), __float_as_uint(i + 256 * half + 128)); // other 1, other 2
+        load(lanes, first, second); // error 1: tensor-memory-not-waited

-    const Row row = ld(d);
+    const Row row = ld(d); // error 2: tensor-memory-not-waited

== wrong/tensor_memory_upper_lanes_of_the_next_warp
Compile with --arch compute_100a. The second half begins 32 lanes after the first.

-        const unsigned lanes = d + (16 * half << 16);
+        const unsigned lanes = d + (32 * half << 16);

+        // error 1: tensor-memory-misused
         wait_st();
-        load(lanes, first, second);
+        load(lanes, first, second); // error 2: tensor-memory-misused

== wrong/tensor_memory_fewer_columns_than_stored
Compile with --arch compute_100a. The warps use columns behind those that are allocated.

-constexpr unsigned count = 64;
+constexpr unsigned count = 32;

-    const unsigned d = own(cells), i = threadIdx.x;
-    st(d, 0);
+    const unsigned d = own(cells) + 28, i = threadIdx.x;
+    st(d, 0); // error 1: tensor-memory-misused

-    const Row row = ld(d);
+    const Row row = ld(d); // error 2: tensor-memory-misused
*/
