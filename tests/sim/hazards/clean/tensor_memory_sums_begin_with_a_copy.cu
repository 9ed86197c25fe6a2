// Compile with --arch compute_100a. tcgen05.cp brings the numbers to which the products are added: one thread needs no
// wait between the two.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

__device__ void copy_rows(unsigned to, const void* from) {
    asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(to), "l"(matrix(from)) : "memory");
}

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ alignas(128) float c[rows * columns];
    __shared__ uint64_t copied, done;
    __shared__ unsigned cells;
    const unsigned i = threadIdx.x;
    fill(a, i, i % 16);
    for (int k = 0; k < columns; ++k)
        c[i / 8 * 64 + k / 4 * 32 + i % 8 * 4 + k % 4] = float(i);
    if (i < columns)
        fill(b, i, 1);
    if (i == 0) {
        init(&copied, 1);
        init(&done, 1);
        fence_init();
    }
    if (i < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (i == 0) {
        copy_rows(d, c);
        mma(d, a, b, true);
        commit(&done);
    }
    wait(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    out[i] = sum(r);
    __syncthreads();
    if (i < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, rows>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i) + float(columns * i); });
}

/*
== clean/tensor_memory_copied_by_another_thread
Compile with --arch compute_100a. Another thread copies, and commits; the thread that multiplies waits for that.

+    if (i == 32) {
+        copy_rows(d, c);
+        commit(&copied);
+    }
     if (i == 0) {
-        copy_rows(d, c);
+        wait(&copied, 0);

== clean/tensor_memory_copied_over_the_last_sums
Compile with --arch compute_100a. A second copy, into other columns, behind the product, and a second product of another
accumulator.

         mma(d, a, b, true);
+        copy_rows(d + columns, c);
+        mma(d + columns, a, b, true);

-    const Row r = ld(own(d));
+    const Row r = ld(own(d + columns));

== wrong/tensor_memory_copied_without_a_fence
Compile with --arch compute_100a. No proxy fence follows the stores.

-    fill(a, i, i % 16);
+    fill(a, i, i % 16); // other 2
     for (int k = 0; k < columns; ++k)
-        c[i / 8 * 64 + k / 4 * 32 + i % 8 * 4 + k % 4] = float(i);
+        c[i / 8 * 64 + k / 4 * 32 + i % 8 * 4 + k % 4] = float(i); // other 1
     if (i < columns)
-        fill(b, i, 1);
+        fill(b, i, 1); // other 3

-    fence_async();

-        copy_rows(d, c);
-        mma(d, a, b, true);
+        copy_rows(d, c); // error 1: missing-proxy-fence
+        mma(d, a, b, true); // error 2: missing-proxy-fence, error 3: missing-proxy-fence

== wrong/tensor_memory_copied_while_it_is_filled
Compile with --arch compute_100a. The threads fill the buffer again behind the copy.

-        copy_rows(d, c);
+        copy_rows(d, c); // other 1, other 2

-        commit(&done);
+        commit(&done); // other 2
     }
+    for (int k = 0; k < columns; ++k)
+        c[i / 8 * 64 + k / 4 * 32 + i % 8 * 4 + k % 4] = 0;
+    // error 1: tensor-operand-overwritten, error 2: tensor-operand-overwritten
     wait(&done, 0);
*/
