// Compile with --arch compute_100a. One thread multiplies, another learns of it by a relaxed wait and passes it on by a
// relaxed arrival, and the warps that load learn of it by a relaxed wait, too: each side has its fence.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done, passed;
    __shared__ unsigned cells;
    if (threadIdx.x < rows)
        fill(a, threadIdx.x, threadIdx.x % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        init(&passed, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == rows) {
        mma(d, a, b);
        commit(&done);
    }
    if (threadIdx.x == rows + 32) {
        wait_relaxed(&done, 0);
        fence_after();
        fence_before();
        arrive_relaxed(&passed);
    }
    if (threadIdx.x < rows) {
        wait_relaxed(&passed, 0);
        fence_after();
        const Row r = ld(own(d));
        wait_ld();
        out[threadIdx.x] = sum(r);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, rows + 64>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i); });
}

/*
== clean/tensor_memory_relaxed_chain_with_acquire
Compile with --arch compute_100a. The warps acquire, so they need no fence, nor does the thread that releases.

-        wait_relaxed(&done, 0);
-        fence_after();
-        fence_before();
-        arrive_relaxed(&passed);
+        wait(&done, 0);
+        arrive(&passed);

-        wait_relaxed(&passed, 0);
-        fence_after();
+        wait(&passed, 0);

== wrong/tensor_memory_relaxed_chain_without_the_last_fence
Compile with --arch compute_100a. The warps that load execute no fence.

-        mma(d, a, b);
-        commit(&done);
+        mma(d, a, b); // other
+        commit(&done); // other

-        fence_after();
-        const Row r = ld(own(d));
+        const Row r = ld(own(d)); // error: tensor-memory-before-commit

== wrong/tensor_memory_relaxed_chain_without_the_first_fence
Compile with --arch compute_100a. The thread in the middle executes no fence after its wait.

-        mma(d, a, b);
-        commit(&done);
+        mma(d, a, b); // other
+        commit(&done); // other

         wait_relaxed(&done, 0);
-        fence_after();

-        const Row r = ld(own(d));
+        const Row r = ld(own(d)); // error: tensor-memory-before-commit

== wrong/tensor_memory_relaxed_chain_without_the_middle_fence
Compile with --arch compute_100a. The thread in the middle executes no fence before its arrival.

-        mma(d, a, b);
-        commit(&done);
+        mma(d, a, b); // other
+        commit(&done); // other

-        fence_before();

-        const Row r = ld(own(d));
+        const Row r = ld(own(d)); // error: tensor-memory-before-commit
*/
