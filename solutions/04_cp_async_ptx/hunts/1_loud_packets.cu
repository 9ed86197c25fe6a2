// Hunt 04.h1: loud packets.
// Each packet has a slot for 512 samples, of which it uses some; after them come leftovers of older packets. The kernel
// computes the energy of each packet. Observed: since all sizes became unsigned ("a size is never negative"), short
// packets are too loud, and sometimes the last one makes the kernel fail.
#include "lab.h"

using Index = int32_t; // signed: a difference of two sizes may be negative

constexpr Index THREADS = 128;
constexpr Index SLOT = 4 * THREADS; // samples: 16 bytes for each thread

// Reads the first `bytes` bytes, 0 … 16, and writes 16: the rest are zeros.
__device__ void copy_16(void* shared, const void* global, Index bytes) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(global), "r"(bytes)
                 : "memory");
}

// How many of the `width` samples from `first` on exist, if there are `length`.
__device__ Index existing(Index first, Index length, Index width) {
    const Index rest = length - first;
    return min(max(rest, Index{0}), width);
}

__device__ uint32_t sum_of_warp(uint32_t x) {
    return __reduce_add_sync(~0u, x);
}

__global__ void __launch_bounds__(THREADS) energies(const int* slots, const int* lengths, uint32_t* energy) {
    __shared__ alignas(16) int samples[SLOT];
    __shared__ uint32_t partial[THREADS / 32];
    const Index packet = blockIdx.x, length = lengths[packet], first = 4 * threadIdx.x;

    // Every thread copies, even where no sample is left: what does not exist arrives as zeros.
    copy_16(&samples[first], slots + packet * SLOT + first, 4 * existing(first, length, 4));
    asm volatile("cp.async.wait_all;" ::: "memory");

    uint32_t sum = 0;
    for (int j = 0; j < 4; ++j)
        sum += uint32_t(samples[first + j]) * uint32_t(samples[first + j]);
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        energy[packet] = partial[0] + partial[1] + partial[2] + partial[3];
}

/// `slots` has 512 samples for each packet, but ends with the last sample of the last one. It is 16-byte aligned.
void launch(const int* slots, const int* lengths, uint32_t* energy, int packets, cudaStream_t stream) {
    energies<<<packets, THREADS, 0, stream>>>(slots, lengths, energy);
}

LAB_ENTRY(launch)
