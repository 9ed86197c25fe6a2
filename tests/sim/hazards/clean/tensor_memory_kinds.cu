// Compile with --arch compute_100a. Integers: bytes with 32 of them in a row.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

constexpr int in_row = 32;
using Element = uint8_t;
constexpr Element one = 1, two = 2;
constexpr unsigned types = 2u << 4 | 1u << 7 | 1u << 10; // s32 = s8 * s8

__device__ void multiply(unsigned d, const void* a, const void* b) {
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::i8 [%0], %1, %2, %3, p; }" ::"r"(d),
        "l"(matrix(a)), "l"(matrix(b)), "r"(types | (product(rows, 2 * columns) & ~0xfffu))
        : "memory");
}

__device__ float number(float of) {
    return float(__float_as_int(of));
}

__global__ void sums(float* out) {
    __shared__ alignas(128) Element a[rows * in_row], b[2 * columns * in_row];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    for (int i = threadIdx.x; i < rows * in_row; i += rows)
        a[i] = two;
    for (int i = threadIdx.x; i < 2 * columns * in_row; i += rows)
        b[i] = one;
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        multiply(cells, a, b);
        commit(&done);
    }
    wait(&done, 0);
    const Row r = ld(own(cells) + columns);
    float total = 0;
    for (float value : r.of)
        total += number(value);
    out[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(cells, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    sums<<<1, rows>>>(out);
    return verdict(out, rows, [](int) { return float(2 * in_row * columns); });
}

/*
== clean/tensor_memory_kind_tf32
Compile with --arch compute_100a. Words of tf32, 8 of them in a row.

-constexpr int in_row = 32;
-using Element = uint8_t;
+constexpr int in_row = 8;
+using Element = float;
 constexpr Element one = 1, two = 2;
-constexpr unsigned types = 2u << 4 | 1u << 7 | 1u << 10; // s32 = s8 * s8
+constexpr unsigned types = 1u << 4 | 2u << 7 | 2u << 10; // f32 = tf32 * tf32

-        "{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::i8 [%0], %1, %2, %3, p; }" ::"r"(d),
+        "{ .reg .pred p; setp.ne.u32 p, 0, 0;"
+        "tcgen05.mma.cta_group::1.kind::tf32 [%0], %1, %2, %3, p; }" ::"r"(d),

-    return float(__float_as_int(of));
+    return of;

== clean/tensor_memory_kind_f8f6f4
Compile with --arch compute_100a. Bytes of two kinds: e4m3 times e5m2.

-constexpr Element one = 1, two = 2;
-constexpr unsigned types = 2u << 4 | 1u << 7 | 1u << 10; // s32 = s8 * s8
+constexpr Element one = 0x3c, two = 0x40;
+constexpr unsigned types = 1u << 4 | 0u << 7 | 1u << 10; // f32 = e4m3 * e5m2

-        "{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::i8 [%0], %1, %2, %3, p; }" ::"r"(d),
+        "{ .reg .pred p; setp.ne.u32 p, 0, 0;"
+        "tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, p; }" ::"r"(d),

-    return float(__float_as_int(of));
+    return of;

== wrong/tensor_memory_kind_with_the_types_of_another
Compile with --arch compute_100a. The descriptor asks for sums of f32, which integers do not have.

-constexpr unsigned types = 2u << 4 | 1u << 7 | 1u << 10; // s32 = s8 * s8
+constexpr unsigned types = 1u << 4 | 1u << 7 | 1u << 10;

-        multiply(cells, a, b);
+        multiply(cells, a, b); // error: tensor-descriptor

== wrong/tensor_memory_kind_with_24_columns
Compile with --arch compute_100a. Products of integers with more than 32 columns have multiples of 16 of them.

-        "l"(matrix(a)), "l"(matrix(b)), "r"(types | (product(rows, 2 * columns) & ~0xfffu))
+        "l"(matrix(a)), "l"(matrix(b)), "r"(types | (product(rows, 5 * columns) & ~0xfffu))

-        multiply(cells, a, b);
+        multiply(cells, a, b); // error: tensor-descriptor
*/
