// Lab 14: calibrates a video. A cluster of four blocks processes four frames at a time and shares what it loads.
// out[f] is gain * in[f] - in[f - 1], pixel by pixel; in[-1] is zero.
#include "lab.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>
#include <iterator>

#include "tma.h" // in common/check/student: elected(), wait()

namespace ptx = cuda::ptx;

constexpr int CLUSTER = 4; // blocks, and frames
constexpr int TILE = 32;   // pixels in a row, and rows
constexpr int SLICE = TILE / CLUSTER;
constexpr int THREADS = 256;

// The same layout in every block, because a multicast writes to the same shared address in all of them.
struct Shared {
    alignas(128) uint32_t gain[TILE][TILE], frame[TILE][TILE], previous[TILE][TILE];
    uint64_t own;    // completes when this block's frame has arrived
    uint64_t common; // completes when the gain and the previous frame have arrived
};

__device__ void arrive_and_expect(uint64_t* barrier, unsigned bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

// Loads a tile into all blocks whose rank is set in `ranks`. cuda::ptx has this for compute_90a only, PTX for 90, too.
__device__ void multicast(void* tile, const CUtensorMap* map, const int (&at)[2], uint64_t* barrier, uint16_t ranks) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(unsigned(__cvta_generic_to_shared(tile))),
                 "l"(map), "r"(at[0]), "r"(at[1]), "r"(unsigned(__cvta_generic_to_shared(barrier))), "h"(ranks)
                 : "memory");
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS)
    calibrate(const __grid_constant__ CUtensorMap frames, const __grid_constant__ CUtensorMap gains, uint32_t* out,
              int width, int height, int count) {
    __shared__ Shared shared;
    const auto cluster = cooperative_groups::this_cluster();
    const int rank = cluster.block_rank();
    const bool issuer = threadIdx.x < 32 && elected();
    const int columns = (width + TILE - 1) / TILE, tiles = columns * ((height + TILE - 1) / TILE);

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&shared.own, 1);
        ptx::mbarrier_init(&shared.common, 1);
    }
    // TODO(1): the other blocks are about to use these barriers.
    __syncthreads(); // placeholder
    // END TODO(1)

    unsigned parity = 0;
    for (int job = blockIdx.x / CLUSTER; job < tiles * ((count + CLUSTER - 1) / CLUSTER); job += gridDim.x / CLUSTER) {
        const int f = job / tiles * CLUSTER + rank; // may be past the last frame: copies then load zeros
        const int x = job % tiles % columns * TILE, y = job % tiles / columns * TILE;
        if (issuer) {
            const int at[] = {x, y, f}, before[] = {x, y, f - 1}, slice[] = {x, y + rank * SLICE};
            // TODO(2): how many bytes complete on each of this block's barriers, whichever block issued the copies?
            arrive_and_expect(&shared.own, sizeof shared.frame);
            arrive_and_expect(&shared.common, SLICE * sizeof shared.gain[0]); // placeholder: its own loads
            // END TODO(2)
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.frame, &frames, at, &shared.own);
            if (rank == 0)
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.previous, &frames, before,
                                          &shared.common);
            // TODO(3): load a quarter of the gain into all blocks of the cluster.
            multicast(shared.gain[rank * SLICE], &gains, slice, &shared.common, 1 << rank); // placeholder: its own
            // END TODO(3)
        }
        wait(&shared.own, parity);
        // TODO(4): this frame is the next block's previous frame. On which block's barrier does the copy complete?
        // END TODO(4)
        wait(&shared.common, parity);
        parity ^= 1;
        for (int i = threadIdx.x; i < TILE * TILE; i += THREADS)
            if (const int row = i / TILE, column = i % TILE; f < count && y + row < height && x + column < width)
                out[(size_t(f) * height + y + row) * width + x + column] =
                    shared.gain[row][column] * shared.frame[row][column] - shared.previous[row][column];
        // TODO(5): what must have completed in the whole cluster before a block begins its next round, or exits?
        __syncthreads(); // placeholder
        // END TODO(5)
    }
}

// Makes a map of `rank` dimensions, the third of which counts frames. A copy moves `rows` rows.
CUresult make_map(CUtensorMap* map, const uint32_t* base, int rank, int width, int height, int frames, int rows) {
    const cuuint64_t size[] = {cuuint64_t(width), cuuint64_t(height), cuuint64_t(frames)};
    const cuuint64_t pitch[] = {4 * size[0], 4 * size[0] * size[1]};
    const cuuint32_t box[] = {TILE, cuuint32_t(rows), 1}, step[] = {1, 1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, rank, const_cast<uint32_t*>(base), size, pitch,
                                  box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `in`, `out`: `count` contiguous frames of `height` rows of `width` pixels. `gain`: one frame. All are in device
/// memory and 16-byte aligned. `width` is a multiple of 4.
cudaError_t launch(const uint32_t* in, const uint32_t* gain, uint32_t* out, int width, int height, int count,
                   cudaStream_t stream) {
    if (width == 0 || height == 0 || count == 0)
        return cudaSuccess;
    CUtensorMap frames, gains;
    if (make_map(&frames, in, 3, width, height, count, TILE) || make_map(&gains, gain, 2, width, height, 1, SLICE))
        return cudaErrorInvalidValue;
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int jobs = (width + TILE - 1) / TILE * ((height + TILE - 1) / TILE) * ((count + CLUSTER - 1) / CLUSTER);
    const int clusters = std::min(jobs, 4 * sms / CLUSTER); // persistent: four blocks per SM
    calibrate<<<clusters * CLUSTER, THREADS, 0, stream>>>(frames, gains, out, width, height, count);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
