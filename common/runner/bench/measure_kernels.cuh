// The kernels that `./lab bench model` times: a small one for each parameter of the timing model. Those that need one
// warp run on one SM and are timed with clock64(). Each load or wait depends on the one before it, so that a round is a
// latency; a loop's own instructions are unrolled until they count for little.
#pragma once

#include <cstdint>

struct Out {
    long long cycles;
    uint32_t sink; ///< what a kernel computed, so that it has to
};

// --- instructions ----------------------------------------------------------------------------------------------------

// A chain: each multiplication needs the one before. The volatile asm keeps the compiler from merging them.
__global__ void dependent_instructions(Out* out, int rounds) {
    uint32_t x = threadIdx.x;
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
#pragma unroll
        for (int k = 0; k < 64; ++k)
            asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x));
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, x};
}

// Two or four chains side by side: how soon can a warp issue an instruction that does not need the one before?
template <int CHAINS>
__global__ void independent_instructions(Out* out, int rounds) {
    uint32_t x[4] = {1, 2, 3, 4};
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
#pragma unroll
        for (int k = 0; k < 64; ++k)
            asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x[k % CHAINS]));
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, x[0] + x[1] + x[2] + x[3]};
}

// A loop that does nothing but go round: four instructions, the last of which is the branch. It needs the comparison
// before it, as branches do. What a round takes longer than four instructions is the branch's.
__global__ void branches(Out* out, int rounds) {
    uint32_t x = threadIdx.x;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; ++i)
        asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x));
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, x};
}

// --- memory ----------------------------------------------------------------------------------------------------------

// Each load's address is the value of the load before it. The chain is a random cycle through the lines of a buffer. A
// launch goes on where the last one ended, so nothing is cached if the buffer is larger than the L2 cache.
__global__ void chase_memory(const uint32_t* next, Out* out, int steps) {
    uint32_t at = out->sink;
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(next + at));
    const long long end = clock64();
    *out = {end - begin, at};
}

// The same within 4 KiB, which the first lap loads into the L1 cache.
__global__ void chase_cached(const uint32_t* next, Out* out, int steps) {
    uint32_t at = 0;
    for (int i = 0; i < 32; ++i)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(next + at));
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(next + at));
    const long long end = clock64();
    *out = {end - begin, at};
}

// The same in shared memory, which has no cache to look up.
__global__ void chase_shared(const uint32_t*, Out* out, int steps) {
    __shared__ uint32_t next[1024];
    for (int i = 0; i < 1024; ++i)
        next[i] = (i + 33) % 1024;
    uint32_t at = 0;
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i)
        at = static_cast<volatile uint32_t*>(next)[at];
    const long long end = clock64();
    *out = {end - begin, at};
}

// One block reads as much as it can: 16 bytes a thread, eight loads in flight each. How much of the bandwidth can one
// SM use when no other one wants any?
__global__ void stream(const uint4* in, Out* out, int rounds) {
    uint32_t sum = 0;
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i) {
        uint4 values[8];
#pragma unroll
        for (int k = 0; k < 8; ++k)
            values[k] = __ldcg(in + (size_t(i) * 8 + k) * blockDim.x + threadIdx.x);
#pragma unroll
        for (int k = 0; k < 8; ++k)
            sum += values[k].x ^ values[k].w;
    }
    __syncthreads();
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, sum};
}

// As in the labs: every SM loads tiles of 8 KiB, one after the other, and waits for each.
__global__ void loaded_tiles(const uint4* in, Out* out, int rounds) {
    uint32_t sum = 0;
    const uint4* own = in + size_t(blockIdx.x) * rounds * 512;
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i) {
        const uint4 first = __ldcg(own + i * 512 + threadIdx.x), second = __ldcg(own + i * 512 + 256 + threadIdx.x);
        sum += first.x ^ second.w;
        if (__syncthreads_or(sum == 0x12345678)) // needs both values
            ++sum;
    }
    const long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *out = {end - begin, sum};
}

struct Load {
    uint32_t stop;
    unsigned long long rate; ///< bytes per 1000 cycles
};

// Loads tiles of 8 KiB, and stores them if there is an `out`, until `load` says stop.
__device__ void copy_tiles(const uint4* in, uint4* out, size_t tiles, Load* load) {
    const auto stopped = [&] { return *const_cast<volatile uint32_t*>(&load->stop); };
    uint32_t sum = 0;
    unsigned long long bytes = 0;
    const long long begin = clock64();
    for (size_t tile = blockIdx.x;; tile = (tile + gridDim.x) % tiles) {
        const size_t i = tile * 512 + threadIdx.x;
        const uint4 first = __ldcg(in + i), second = __ldcg(in + i + 256);
        const uint32_t stop = stopped();
        if (out) {
            out[i] = first;
            out[i + 256] = second;
        }
        sum += first.x ^ second.w;
        bytes += out ? 16384 : 8192;
        if (__syncthreads_or(stop || sum == 0x12345678)) // needs both values
            break;
    }
    if (threadIdx.x == 0)
        atomicAdd(&load->rate, 1000 * bytes / static_cast<unsigned long long>(clock64() - begin));
}

// As chase_memory, by the first block, while all others load tiles of 8 KiB, and store them if there is an `out`: how
// long does a load take while the memory is busy? How busy it is depends on the number of blocks.
__global__ void __launch_bounds__(256, 8)
    chase_loaded(const uint32_t* next, const uint4* in, uint4* out, size_t tiles, Load* load, Out* result, int steps) {
    if (blockIdx.x > 0)
        return copy_tiles(in, out, tiles, load);
    if (threadIdx.x == 0) {
        uint32_t at = result->sink;
        long long begin = 0;
        for (int i = -steps / 4; i < steps; ++i) {
            if (i == 0) // by now the others are busy
                begin = clock64();
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(next + at));
        }
        *result = {clock64() - begin, at};
        atomicExch(&load->stop, 1u);
    }
}

// --- barriers --------------------------------------------------------------------------------------------------------

// Nothing but barriers. With the number of warps, the time of a round grows by what the barrier needs for each arrival.
__global__ void barriers(Out* out, int rounds) {
    __syncthreads();
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
#pragma unroll
        for (int k = 0; k < 16; ++k)
            __syncthreads();
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, 0};
}

__device__ uint32_t shared_address(const void* pointer) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void init(uint64_t& barrier, uint32_t count) {
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(count) : "memory");
    __syncthreads();
}

// A test of a phase that is complete (on a fresh barrier, parity 1 is): its answer decides about the next instruction.
__global__ void mbarrier_tests(Out* out, int rounds) {
    __shared__ uint64_t barrier;
    init(barrier, 1);
    uint32_t parity = 1;
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i) {
        uint32_t done = 0;
#if __CUDA_ARCH__ >= 900
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(shared_address(&barrier)), "r"(parity)
                     : "memory");
#else
        asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(shared_address(&barrier)), "r"(parity)
                     : "memory");
#endif
        parity = done ? 1 : parity ^ 1; // the next test has to wait for this answer
    }
    const long long end = clock64();
    *out = {end - begin, parity};
}

// Arrivals by all threads of the block, all in one phase without waits: the time that a warp's arrivals take at the
// barrier.
__global__ void mbarrier_arrivals(Out* out, int rounds) {
    __shared__ uint64_t barrier;
    init(barrier, blockDim.x * rounds);
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
        asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(shared_address(&barrier))
                     : "memory");
    __syncthreads();
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, 0};
}

// All threads arrive, and all wait for the phase: what a round of an mbarrier costs where bar.sync would do.
__global__ void mbarrier_rounds(Out* out, int rounds) {
    __shared__ uint64_t barrier;
    init(barrier, blockDim.x);
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i) {
        asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(shared_address(&barrier))
                     : "memory");
        uint32_t done = 0;
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(shared_address(&barrier)), "r"(i & 1)
                         : "memory");
    }
    const long long end = clock64();
    if (threadIdx.x == 0)
        *out = {end - begin, 0};
}

// --- copies ----------------------------------------------------------------------------------------------------------

// cp.async of four bytes by each lane, from lines that are in the L2 cache, each to a place of its own, and no waits in
// between: how soon does the SM accept the next one? (Their size does not matter to it.)
constexpr int COPIES = 32;

__global__ void copy_issue(const uint32_t* in, Out* out) {
    extern __shared__ uint32_t tiles[];
    const long long begin = clock64();
#pragma unroll
    for (int k = 0; k < COPIES; ++k)
        asm volatile(
            "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tiles[k * blockDim.x + threadIdx.x])),
            "l"(in + threadIdx.x)
            : "memory");
    const long long end = clock64();
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        *out = {end - begin, tiles[0]};
}

// A bulk copy of 16 bytes, waited for before the next one: the latency of the copy engine, the mbarrier included, on
// top of the L2 cache's.
__global__ void bulk_copies(const uint4* in, Out* out, int rounds) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(16) uint4 tile;
    __shared__ uint64_t barrier;
    init(barrier, 1);
    const uint32_t to = shared_address(&tile), full = shared_address(&barrier);
    asm volatile("fence.proxy.async;" ::: "memory");
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 16;" ::"r"(full) : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(to),
            "l"(in), "r"(full)
            : "memory");
        uint32_t done = 0;
        while (!done)
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(full), "r"(i & 1)
                         : "memory");
    }
    const long long end = clock64();
    *out = {end - begin, tile.x};
#else
    *out = {0, 0};
#endif
}

// The clock's rate, while the GPU is busy: cycles and nanoseconds of one busy thread.
__global__ void clock_rate(long long* out, int rounds) {
    uint32_t x = 1;
    uint64_t before, after;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
    const long long begin = clock64();
    for (int i = 0; i < rounds; ++i)
        asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x));
    out[0] = clock64() - begin;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
    out[1] = static_cast<long long>(after - before) + (x == 0);
}
