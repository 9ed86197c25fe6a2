// expect: uncommitted-copy
// The store is in no group, so that nobody waits for it.
// Lab 16: every matrix of a batch is transposed, in one launch. Blocks stay and take tile after tile; one warp loads
// through a ring of swizzled tiles, two transpose and store, all by tensor maps that are made on the device.
#include "lab.h"

#include <algorithm>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 32; // rows, and elements in a row: 128 bytes, the span of the widest swizzle
constexpr int UNITS = TILE * TILE / 4;
constexpr int STAGES = 4, OUTS = 2;                     // tiles on their way in, and out
constexpr int CONSUMERS = 64, THREADS = 32 + CONSUMERS; // warp 0 is the producer
constexpr int MOST_BLOCKS = 2048;

struct Matrix {
    const uint32_t* in;                     // row r begins at in + r * in_pitch
    uint32_t* out;                          // `columns` rows of `rows` elements
    int rows, columns, in_pitch, out_pitch; // pitches are multiples of 4, pointers of 16 bytes
    int first;                              // tile: so many have the matrices before this one together
};

struct Shared {
    alignas(1024) uint4 ring[STAGES][UNITS], staged[OUTS][UNITS]; // the pattern begins with each of them
    alignas(128) CUtensorMap scratch[2];                          // the producer's, the storing warp's
    uint64_t full[STAGES], empty[STAGES];
    int described_in[STAGES], described_out[OUTS]; // whose tensor a map describes; -1: nobody's
};

__device__ CUtensorMap maps[MOST_BLOCKS][STAGES + OUTS]; // a map for each buffer of a block

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ void consumers_meet() {
    asm volatile("bar.sync 1, %0;" ::"n"(CONSUMERS) : "memory");
}

// The matrix that tile t belongs to.
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

// Makes `map`, in global memory, a map for swizzled tiles of this matrix, unless it is one (*described == m). Then the
// calling warp may use it.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch, int* described, int m, const uint32_t* base, int rows,
                        int columns, int pitch) {
    using ptx::n32_t, ptx::space_shared;
    // TODO(1): begin with zeros, replace what is not zero, release, acquire
    if (*described == m)
        return;
    if (threadIdx.x % 32 == 0) {
        *scratch = CUtensorMap{};
        ptx::tensormap_replace_global_address(space_shared, scratch, base);
        ptx::tensormap_replace_rank(space_shared, scratch, 2 - 1);
        ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<0>{}, columns);
        ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<1>{}, rows);
        ptx::tensormap_replace_global_stride(space_shared, scratch, n32_t<0>{}, 4 * uint64_t(pitch));
        ptx::tensormap_replace_box_dim(space_shared, scratch, n32_t<0>{}, TILE);
        ptx::tensormap_replace_box_dim(space_shared, scratch, n32_t<1>{}, TILE);
        ptx::tensormap_replace_element_size(space_shared, scratch, n32_t<0>{}, 1);
        ptx::tensormap_replace_element_size(space_shared, scratch, n32_t<1>{}, 1);
        ptx::tensormap_replace_elemtype(space_shared, scratch, n32_t<2>{});     // u32
        ptx::tensormap_replace_swizzle_mode(space_shared, scratch, n32_t<3>{}); // 128 bytes
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, scratch, n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, n32_t<128>{});
    if (threadIdx.x % 32 == 0)
        *described = m;
    // END TODO(1)
}

// Where the u-th four elements of a row lie in a swizzled tile.
__device__ int place(int row, int u) {
    // TODO(2): swizzled by 128 bytes
    return 8 * row + (u ^ row % 8);
    // END TODO(2)
}

__global__ void __launch_bounds__(THREADS) transpose(const Matrix* batch, int count, int tiles) {
    __shared__ Shared s;
    [[maybe_unused]] const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], CONSUMERS / 32);
            s.described_in[i] = -1;
        }
        for (int i = 0; i < OUTS; ++i)
            s.described_out[i] = -1;
    }
    __syncthreads();

    // A block's tiles follow each other, so that it meets few matrices, and makes few maps.
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
            // TODO(3): when may the producer write to the stage, and to the stage's map? One lane loads.
            CUtensorMap* map = &maps[blockIdx.x][stage];
            wait(&s.empty[stage], (lap + 1) % 2);
            publish(map, &s.scratch[0], &s.described_in[stage], m, matrix.in, matrix.rows, matrix.columns,
                    matrix.in_pitch);
            if (lane == 0) {
                const int from[] = {x, y};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                               sizeof s.ring[stage]);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.ring[stage], map, from,
                                          &s.full[stage]);
            }
            __syncwarp();
            // END TODO(3)
        } else {
            // A thread takes a block of four by four. These blocks lie on diagonals, so that eight neighbours meet
            // different banks, by rows and by columns.
            const int column = threadIdx.x % 8, row = column ^ (threadIdx.x - 32) / 8;
            uint4 in[4];
            // TODO(4): read in[i], the four elements at 4 * column of row 4 * row + i, and give the stage back
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
            // TODO(5): write to staged[out], once the store before last has read it. Store that, by map STAGES + out.
            if (threadIdx.x == 32)
                ptx::cp_async_bulk_wait_group_read(ptx::n32_t<OUTS - 1>{});
            consumers_meet();
            for (int i = 0; i < 4; ++i)
                s.staged[out][place(4 * column + i, row)] = transposed[i];
            ptx::fence_proxy_async(ptx::space_shared);
            consumers_meet();
            if (warp == 1) {
                CUtensorMap* map = &maps[blockIdx.x][STAGES + out];
                publish(map, &s.scratch[1], &s.described_out[out], m, matrix.out, matrix.columns, matrix.rows,
                        matrix.out_pitch);
                if (lane == 0) {
                    const int to[] = {y, x};
                    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, to, s.staged[out]);
                }
                __syncwarp();
            }
            // END TODO(5)
        }
    }
    // TODO(6): who must not leave yet?
    if (threadIdx.x == 32)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    // END TODO(6)
}

/// `batch`: `count` matrices in device memory, like all that they point to; `tiles`: how many all of them have.
cudaError_t launch(const Matrix* batch, int count, int tiles, cudaStream_t stream) {
    if (tiles == 0)
        return cudaSuccess;
    int sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    transpose<<<std::min({tiles, 2 * sms, MOST_BLOCKS}), THREADS, 0, stream>>>(batch, count, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
