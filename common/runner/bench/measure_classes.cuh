// How long instructions of each class take: until the next one can use the result, in a chain of one warp, and how many
// cycles an SM spends on each while many warps issue independent ones.
#pragma once

#include <cstdint>

#include "measure_kernels.cuh"

// What a class does to its accumulators: `x` depends on itself, in a way that ptxas cannot shorten. `y` is constant.
#define CLASS(name, count, text)                                                                                       \
    struct name {                                                                                                      \
        static constexpr int instructions = count;                                                                     \
        static __device__ void step(uint32_t& x, uint32_t& y, uint32_t) { asm volatile(text : "+r"(x), "+r"(y)); }     \
    }

namespace classes {

CLASS(IntegerAdd, 2, "add.u32 %0, %0, %1; add.u32 %1, %1, %0;");
CLASS(IntegerFma, 1, "mad.lo.u32 %0, %0, %0, %1;");
CLASS(Logic, 2, "lop3.b32 %0, %0, %1, 0x5555, 0x1e; lop3.b32 %1, %1, %0, 0x3333, 0x1e;");
CLASS(Shift, 2, "shf.l.wrap.b32 %0, %0, %1, 7; shf.l.wrap.b32 %1, %1, %0, 9;");
CLASS(WideFma, 1, "{.reg .u64 w; mov.b64 w, {%0, %1}; mad.wide.u32 w, %0, %0, w; mov.b64 {%0, %1}, w;}");
CLASS(FloatFma, 1, "fma.rn.f32 %0, %0, %0, %1;");
CLASS(FloatAdd, 2, "add.rn.f32 %0, %0, %1; add.rn.f32 %1, %1, %0;");
CLASS(HalfFma, 1, "fma.rn.f16x2 %0, %0, %0, %1;");
CLASS(Select, 2, "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %1, %0, p; add.u32 %1, %1, %0;}");
CLASS(Exponential, 1, "ex2.approx.ftz.f32 %0, %0;");
CLASS(ToInteger, 2, "cvt.rzi.s32.f32 %0, %0; cvt.rn.f32.s32 %0, %0;");
CLASS(ToPair, 1, "cvt.rn.bf16x2.f32 %0, %0, %1;");
CLASS(CountBits, 1, "popc.b32 %0, %0;");
CLASS(Division, 1, "div.u32 %0, %1, %0;");
CLASS(Shuffle, 1, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;");
CLASS(ReduceMatch, 1, "redux.sync.add.u32 %0, %0, -1;");

#undef CLASS

} // namespace classes

// `CHAINS` chains of a class for each warp.
template <class Class, int CHAINS>
__global__ void class_chains(Out* out, int rounds) {
    __shared__ alignas(128) uint32_t words[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        words[i] = 0;
    uint32_t x[CHAINS], y[CHAINS];
    for (int c = 0; c < CHAINS; ++c)
        x[c] = 0x3f800001u + threadIdx.x + c, y[c] = 0x3f900003u + 3 * threadIdx.x + c;
    const uint32_t shared = shared_address(words) + threadIdx.x / 32 * 1024; // of the warp alone
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; ++i)
#pragma unroll
        for (int k = 0; k < 32; ++k)
            Class::step(x[k % CHAINS], y[k % CHAINS], shared);
    __syncthreads();
    const long long end = clock64();
    uint32_t sum = 0;
    for (int c = 0; c < CHAINS; ++c)
        sum += x[c] ^ y[c];
    if (threadIdx.x == 0)
        *out = {end - begin, sum};
    else if (sum == 0x12345678) // needs all values
        atomicAdd(&out->sink, sum);
}

// `BODY` instructions of four independent chains, and the branch: what does a round cost, by the number of warps?
template <int BODY>
__global__ void loops(Out* out, int rounds) {
    uint32_t x[4] = {threadIdx.x, 1, 2, 3};
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; ++i)
#pragma unroll
        for (int k = 0; k < BODY; ++k)
            asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x[k % 4]));
    __syncthreads();
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, x[0] + x[1] + x[2] + x[3]};
}

// Arrivals by the first `lanes` lanes of each warp, in one phase without waits.
__global__ void warps_arrive(Out* out, int rounds, int lanes) {
    __shared__ uint64_t barrier;
    init(barrier, blockDim.x / 32 * lanes * rounds);
    const long long begin = clock64();
    if (threadIdx.x % 32 < lanes)
        for (int i = 0; i < rounds; ++i)
            asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(shared_address(&barrier))
                         : "memory");
    __syncthreads();
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, 0};
}

// Stores of 16 bytes by each thread to memory, without waits: how much does an SM get rid of?
__global__ void store_stream(uint4* to, Out* out, int rounds) {
    uint4* own = to + size_t(blockIdx.x) * rounds * blockDim.x;
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
        own[size_t(i) * blockDim.x + threadIdx.x] = {1, 2, 3, uint32_t(i)};
    __syncthreads();
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *out = {end - begin, 0};
}
