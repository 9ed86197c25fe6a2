// Lab 05: delta encoding with STAGES - 1 tiles in flight.
// out[i] = in[i] - in[i - 1]. The first sample of each tile is unchanged, so that each tile can be decoded alone.
#include "lab.h"

#include <algorithm>

constexpr int THREADS = 224;
constexpr int COPIES = 2;                  // 16-byte copies per thread and tile
constexpr int TILE = THREADS * COPIES * 4; // samples: 7 KiB

// Copies 16 bytes asynchronously. Only the first `valid` bytes are read; the rest become zeros.
__device__ void copy_16(void* shared, const void* global, int valid) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(global), "r"(valid)
                 : "memory");
}

__device__ void commit_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Returns when at most the N youngest groups of this thread are incomplete.
template <int N>
__device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

template <int STAGES>
__global__ void __launch_bounds__(THREADS) encode(const uint32_t* in, uint32_t* out, int n) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    const int tiles = (n + TILE - 1) / TILE;

    // Issues this thread's share of a tile. After the last tile there is nothing to copy.
    auto issue = [&](int stage, int tile) {
        for (int c = 0; c < COPIES && tile < tiles; ++c) {
            const int e = 4 * (c * THREADS + threadIdx.x), i = tile * TILE + e;
            copy_16(&ring[stage][e], in + i, 4 * min(max(n - i, 0), 4));
        }
    };

    // TODO(1): issue the first STAGES - 1 tiles of this block, one group each.
    // END TODO(1)

    int stage = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        // TODO(2): wait until the copies of `tile` are complete and every thread may read all of it.
        issue(stage, tile); // placeholder: fetches each tile when it is needed; nothing overlaps
        commit_group();
        wait_group<0>();
        __syncthreads();
        // END TODO(2)

        // TODO(3): issue the tile that is STAGES - 1 rounds ahead. Which stage is free, and since when?
        // END TODO(3)

        for (int c = 0; c < COPIES; ++c) {
            const int e = 4 * (c * THREADS + threadIdx.x), i = tile * TILE + e;
            const uint4 x = *reinterpret_cast<const uint4*>(&ring[stage][e]);
            const uint32_t before = e == 0 ? 0 : ring[stage][e - 1];
            const uint32_t y[4] = {x.x - before, x.y - x.x, x.z - x.y, x.w - x.z};
            if (i + 3 < n)
                *reinterpret_cast<uint4*>(&out[i]) = {y[0], y[1], y[2], y[3]};
            else
                for (int j = 0; j < 4 && i + j < n; ++j)
                    out[i + j] = y[j];
        }
        stage = (stage + 1) % STAGES;
    }
}

/// `in` and `out` are 16-byte aligned arrays of n samples in device memory. `stages` is 2, 3, 4 or 6.
/// n is at most 2^31 - 2^22: the index of a block's next tile is an int, too.
cudaError_t launch(const uint32_t* in, uint32_t* out, int n, int stages, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int grid = std::min((n + TILE - 1) / TILE, sms); // persistent blocks: one on each SM
    const auto kernel = stages == 2 ? encode<2> : stages == 3 ? encode<3> : stages == 4 ? encode<4> : encode<6>;
    if (grid > 0)
        kernel<<<grid, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
