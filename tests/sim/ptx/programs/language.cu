// One file with most of what nvcc makes of the language: calls, recursion, printf, assert, switch, local arrays, math.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
__constant__ float tab[4] = {1, 2, 3, 4};
__device__ int counter = 7;
__device__ int* ptr = &counter;
__device__ double dd[2][3] = {{1.5}};
struct S {
    int a;
    const char* s;
    int* p;
};
__device__ S ss = {3, "hello", &counter};
__managed__ int man = 3;
extern __shared__ float dyn[];
typedef int (*fn)(int);
__device__ __noinline__ int f0(int x) {
    return x * 3;
}
__device__ __noinline__ int f1(int x) {
    return x ^ 5;
}
__device__ fn table[2] = {f0, f1};
__device__ __noinline__ int fact(int n) {
    return n < 2 ? 1 : n * fact(n - 1);
}
struct Big {
    int v[40];
};
__device__ __noinline__ Big mk(Big b, int i) {
    b.v[i] = 3;
    return b;
}
__global__ void __launch_bounds__(128, 2) gs(int* o) {
    cg::this_grid().sync();
    o[threadIdx.x] = fact(o[0]);
}
__global__ void sw(int* o, int n, fn g) {
    int r;
    switch (n) {
    case 0:
        r = o[1];
        break;
    case 1:
        r = o[2] * 3;
        break;
    case 2:
        r = o[5] + o[6];
        break;
    case 3:
        r = o[7];
        printf("x %d\n", r);
        break;
    case 4:
        r = 9;
        o[3] = 7;
        break;
    case 5:
        r = o[9] / n;
        break;
    default:
        r = 0;
    }
    assert(r != 5);
    int loc[20];
    for (int i = 0; i < 20; ++i)
        loc[i] = o[i];
    r += loc[n];
    o[0] = r + g(r) + table[n & 1](n) + ptr[0] + ss.a + man;
    dyn[n] = tab[n];
    Big b;
    b.v[n] = 4;
    b = mk(b, n);
    o[1] = b.v[n + 1];
}
__global__ void m(double* d, __half* h, __nv_bfloat16* b, __half2* h2) {
    d[0] = sin(d[1]) / d[2] + sqrt(d[3]) + pow(d[0], 3.3);
    h[0] = __hfma(h[1], h[2], h[3]) + hexp(h[1]);
    b[0] = b[1] * b[2] + (__nv_bfloat16)3.0f;
    h2[0] = h2[1] * h2[2];
}
__global__ void __cluster_dims__(2, 1, 1) cl(int* o) {
    auto c = cg::this_cluster();
    __shared__ int x[32];
    x[threadIdx.x] = c.block_rank();
    c.sync();
    o[threadIdx.x] = *c.map_shared_rank(&x[threadIdx.x], 1);
    c.sync();
    auto t = cg::tiled_partition<16>(cg::this_thread_block());
    o[0] = t.shfl_xor(o[1], 3) + t.ballot(o[2]);
    asm volatile("{ .reg .pred p; .reg .b32 r; waitLoop: setp.eq.u32 p, %0, 1; mov.u32 r, %envreg0; @!p bra waitLoop; "
                 "bra done; done: }" ::"r"(o[4]));
    asm volatile("{ .reg .pred p; .reg .b32 r; waitLoop: setp.eq.u32 p, %0, WARP_SZ; mov.u32 r, (4+4)*2; @p bra "
                 "waitLoop; bra done; done: }" ::"r"(o[5]));
}
