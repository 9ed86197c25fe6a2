// How long a tile takes until its last byte is there, while other blocks load or copy: the memory's answer to many
// lines at once is as late as the last of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measure_kernels.cuh"

constexpr uint32_t LARGEST_TILE = 32768;

// The first block loads tiles of `size` bytes from all over a buffer, one after the other, by 16 bytes of each thread
// or by a bulk copy. All other blocks load tiles of 8 KiB, and store them if there is an `out`. A tile is there when
// all threads have its values.
__global__ void __launch_bounds__(256)
    tiles_loaded(const uint4* chain, size_t lines, const uint4* in, uint4* out, size_t tiles, Load* load, Out* result,
                 int steps, uint32_t size, bool bulk) {
    if (blockIdx.x > 0)
        return copy_tiles(in, out, tiles, load);
    constexpr int most = LARGEST_TILE / 16 / 256;
    __shared__ alignas(128) uint4 tile[LARGEST_TILE / 16];
    __shared__ uint64_t full;
    const uint32_t pieces = size / 16, seed = result->sink;
    init(full, 1);
    uint32_t sum = 0;
    long long begin = 0;
    for (int i = -steps / 4; i < steps; ++i) {
        if (i == 0) // by now the others are busy
            begin = clock64();
        const uint32_t number = (uint32_t(i) + seed) * 2654435761u;
        const uint4* from = chain + size_t(__umulhi(number, uint32_t(lines * 8 / pieces))) * pieces;
        if (bulk) {
#if __CUDA_ARCH__ >= 900
            const uint32_t barrier = shared_address(&full);
            if (threadIdx.x == 0) {
                asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(size) : "memory");
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                        shared_address(tile)),
                    "l"(from), "r"(size), "r"(barrier)
                    : "memory");
                uint32_t done = 0;
                while (!done)
                    asm volatile(
                        "{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                        : "=r"(done)
                        : "r"(barrier), "r"((i + steps) & 1)
                        : "memory");
            }
#endif
        } else {
            uint4 values[most];
#pragma unroll
            for (int k = 0; k < most; ++k)
                if (k * 256 + threadIdx.x < pieces)
                    values[k] = __ldcg(from + k * 256 + threadIdx.x);
#pragma unroll
            for (int k = 0; k < most; ++k)
                if (k * 256 + threadIdx.x < pieces)
                    sum += values[k].x ^ values[k].w;
            if (__syncthreads_or(sum == 0x12345678)) // needs all values
                ++sum;
        }
    }
    if (threadIdx.x == 0) {
        *result = {clock64() - begin, seed + 5 * steps / 4 + (sum == 0x12345678)};
        atomicExch(&load->stop, 1u);
    }
}
