// expect: uninitialised-read
// A guard (@!p) skips the copy, zeros and all; ignore-src copies zeros.
#include "lab.h"

constexpr int THREADS = 128;

// You need: cp.async.ca.shared.global [dst], [src], 4, ignore-src;
// C++ cannot pass a predicate. Pass a number and make the predicate inside the statement, as this store does:
__device__ void store_if(float* global, float value, bool wanted) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.u32 p, %2, 0;\n" // p = wanted != 0
                 "@p st.global.f32 [%0], %1;\n"
                 "}" ::"l"(global),
                 "f"(value), "r"(static_cast<unsigned>(wanted))
                 : "memory");
}

// Copies 4 bytes. If `ignore`, it writes a zero and does not read the source.
__device__ void copy_4(void* shared, const void* global, bool ignore) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    // TODO(1): one cp.async with a predicate, made inside the statement.
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.u32 p, %2, 0;\n"
                 "@!p cp.async.ca.shared.global [%0], [%1], 4;\n"
                 "}" ::"r"(destination),
                 "l"(global), "r"(static_cast<unsigned>(ignore))
                 : "memory");
    // END TODO(1)
}

__global__ void __launch_bounds__(THREADS) gather(const float* table, const int* index, float* out, int n) {
    __shared__ float found[THREADS];
    const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    const int from = i < n ? index[i] : -1;
    copy_4(&found[t], table + from, from < 0);
    asm volatile("cp.async.wait_all;" ::: "memory");
    store_if(out + i, found[t], i < n);
}

/// `index` and `out` have n entries. Indices are valid for `table`, or negative.
void launch(const float* table, const int* index, float* out, int n, cudaStream_t stream) {
    gather<<<(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(table, index, out, n);
}

LAB_ENTRY(launch)
