// Lab 16: transposes every matrix of a batch in one launch. Persistent blocks process tile after tile: one warp loads
// into a ring of swizzled tiles, and two warps transpose and store, all with tensor maps made on the device.
#include "lab.h"

#include <algorithm>
#include <cuda.h>
#include <cuda/ptx>

#include "tma.h" // in common/check/student: elected(), wait()

namespace ptx = cuda::ptx;

constexpr int TILE = 32; // rows, and elements in a row: 128 bytes, the span of the widest swizzle
constexpr int UNITS = TILE * TILE / 4;
constexpr int STAGES = 4, OUTS = 2;                                   // tiles in flight, in and out
constexpr int CONSUMER_THREADS = 64, THREADS = 32 + CONSUMER_THREADS; // warp 0 is the producer

struct Matrix {
    const uint32_t* in;                     // row r begins at in + r * in_pitch
    uint32_t* out;                          // `columns` rows of `rows` elements
    int rows, columns, in_pitch, out_pitch; // pitches are multiples of 4, pointers of 16 bytes
    int first;                              // index of this matrix's first tile
};

struct Shared {
    alignas(1024) uint4 ring[STAGES][UNITS], staged[OUTS][UNITS]; // aligned to the pattern
    alignas(128) CUtensorMap scratch[2];                          // of the producer, and of the storing warp
    uint64_t full[STAGES], empty[STAGES];
    int described_in[STAGES], described_out[OUTS]; // index of the matrix that a map describes; -1: none
};

__device__ void consumers_meet() {
    asm volatile("bar.sync 1, %0;" ::"n"(CONSUMER_THREADS) : "memory");
}

// Returns the index of the matrix that tile t belongs to.
__device__ int owner(const Matrix* batch, int count, int t) {
    int m = 0;
    for (int last = count - 1; m < last;) {
        const int middle = (m + last + 1) / 2;
        if (batch[middle].first <= t)
            m = middle;
        else
            last = middle - 1;
    }
    return m;
}

// Makes `map`, in global memory, a map for swizzled tiles of this matrix, unless it already is (*described == m). The
// calling warp may use the map afterwards.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch, int* described, int m, const uint32_t* base, int rows,
                        int columns, int pitch) {
    using ptx::n32_t, ptx::space_shared;
    if (*described == m)
        return;
    if (threadIdx.x % 32 == 0) {
        ptx::tensormap_replace_global_address(space_shared, scratch, base);
        ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<0>{}, columns);
        ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<1>{}, rows);
        ptx::tensormap_replace_global_stride(space_shared, scratch, n32_t<0>{}, 4 * uint64_t(pitch));
    }
    // TODO(1): `scratch` is ready. Release, acquire, and note which matrix the map describes.
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, scratch, n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, n32_t<128>{});
    if (threadIdx.x % 32 == 0)
        *described = m;
    // END TODO(1)
}

// Returns where the u-th four elements of a row are in a swizzled tile.
__device__ int place(int row, int u) {
    // TODO(2): with 128-byte swizzle.
    return 8 * row + (u ^ row % 8);
    // END TODO(2)
}

// `maps`: one for each buffer of a block, in global memory, where the copy unit reads them.
__global__ void __launch_bounds__(THREADS)
    transpose(const Matrix* __restrict__ batch, int count, int tiles, const __grid_constant__ CUtensorMap form,
              CUtensorMap (*maps)[STAGES + OUTS]) {
    __shared__ Shared s;
    [[maybe_unused]] const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    [[maybe_unused]] const bool issuer = elected(); // one lane of each warp
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], CONSUMER_THREADS / 32);
            s.described_in[i] = -1;
        }
        for (int i = 0; i < OUTS; ++i)
            s.described_out[i] = -1;
        s.scratch[0] = s.scratch[1] = form;
    }
    __syncthreads();

    // A block processes consecutive tiles, so it meets few matrices and makes few maps.
    const int begin = int64_t(tiles) * blockIdx.x / gridDim.x, end = int64_t(tiles) * (blockIdx.x + 1) / gridDim.x;
    int m = owner(batch, count, begin);
    for (int k = 0, t = begin; t < end; ++k, ++t) {
        while (m + 1 < count && batch[m + 1].first <= t)
            ++m;
        const Matrix matrix = batch[m];
        const int across = (matrix.columns + TILE - 1) / TILE;
        [[maybe_unused]] const int x = (t - matrix.first) % across * TILE, y = (t - matrix.first) / across * TILE;
        const int stage = k % STAGES, out = k % OUTS;
        [[maybe_unused]] const unsigned lap = k / STAGES;
        if (warp == 0) {
            [[maybe_unused]] CUtensorMap* map = &maps[blockIdx.x][stage];
            // TODO(3): when may the producer write to the stage, and to the stage's map? One lane loads.
            wait(&s.empty[stage], (lap + 1) % 2);
            publish(map, &s.scratch[0], &s.described_in[stage], m, matrix.in, matrix.rows, matrix.columns,
                    matrix.in_pitch);
            if (issuer) {
                const int from[] = {x, y};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                               sizeof s.ring[stage]);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.ring[stage], map, from,
                                          &s.full[stage]);
            }
            // END TODO(3)
        } else {
            // A thread processes a block of four by four. Eight neighbours have blocks on a diagonal, so that they
            // access different banks, by rows and by columns.
            const int column = threadIdx.x % 8, row = column ^ (threadIdx.x - 32) / 8;
            uint4 in[4];
            // TODO(4): read in[i], the four elements at 4 * column of row 4 * row + i, and release the stage.
            wait(&s.full[stage], lap % 2);
            for (int i = 0; i < 4; ++i)
                in[i] = s.ring[stage][place(4 * row + i, column)];
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (lane == 0)
                ptx::mbarrier_arrive(&s.empty[stage]);
            // END TODO(4)
            const uint4 transposed[4] = {{in[0].x, in[1].x, in[2].x, in[3].x},
                                         {in[0].y, in[1].y, in[2].y, in[3].y},
                                         {in[0].z, in[1].z, in[2].z, in[3].z},
                                         {in[0].w, in[1].w, in[2].w, in[3].w}};
            [[maybe_unused]] CUtensorMap* map = &maps[blockIdx.x][STAGES + out];
            // TODO(5): staged[out] is free. Write to it, and let warp 1 store it with `map`. One barrier is enough:
            // when it completes, this tile is written, and an earlier store has read the next round's buffer. Which
            // store?
            for (int i = 0; i < 4; ++i)
                s.staged[out][place(4 * column + i, row)] = transposed[i];
            ptx::fence_proxy_async(ptx::space_shared);
            if (warp == 1 && issuer)
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<OUTS - 2>{}); // the next round's buffer
            consumers_meet();
            if (warp == 1) {
                publish(map, &s.scratch[1], &s.described_out[out], m, matrix.out, matrix.columns, matrix.rows,
                        matrix.out_pitch);
                if (issuer) {
                    const int to[] = {y, x};
                    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, to, s.staged[out]);
                    ptx::cp_async_bulk_commit_group();
                }
            }
            // END TODO(5)
        }
    }
    // TODO(6): which thread must not exit yet, and why?
    if (warp == 1 && issuer)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    // END TODO(6)
}

/// `batch`: `count` matrices. They and everything they point to are in device memory. `tiles`: their total.
cudaError_t launch(const Matrix* batch, int count, int tiles, cudaStream_t stream) {
    if (tiles == 0)
        return cudaSuccess;
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    // What all maps have in common; the kernel replaces the rest.
    CUtensorMap form;
    const cuuint64_t size[] = {TILE, TILE}, stride[] = {TILE * sizeof(uint32_t)};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    const int blocks = std::min(tiles, 2 * sms);
    CUtensorMap(*maps)[STAGES + OUTS]; // of this launch alone
    if (const cudaError_t error = cudaMallocAsync(&maps, blocks * sizeof *maps, stream))
        return error;
    transpose<<<blocks, THREADS, 0, stream>>>(batch, count, tiles, form, maps);
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
