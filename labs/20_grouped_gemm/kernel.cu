// Lab 20: D = A * transpose of B, in bfloat16, for each problem of a list, in one launch. Persistent blocks compute
// tile after tile: one warp makes maps and loads, two warpgroups multiply, and another warp stores.
#include "lab.h"

#include <algorithm>
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

#include "tma.h"   // in common/check/student: elected(), wait()
#include "wgmma.h" // Sums, wgmma(), wgmma_fence(), wgmma_commit(), wgmma_wait<N>()

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int TILE_M = 128, TILE_N = 256; // of D
constexpr int TILE_K = 64;                // of a stage: 128 bytes, the span of the widest swizzle
constexpr int STAGES = 4;
constexpr int PART = 64, OUTS = 2;                  // columns of D that are stored at a time; buffers for them
constexpr int WARPGROUP = 128, CONSUMER_GROUPS = 2; // threads; warpgroups of 64 rows each
constexpr int THREADS = WARPGROUP * (1 + CONSUMER_GROUPS);

struct Problem {
    const bf16 *a, *b;             // m rows and n rows, of k elements
    bf16* d;                       // m rows of n elements
    int m, n, k;                   // k is not 0
    int a_pitch, b_pitch, d_pitch; // elements from one row to the next, multiples of 8; pointers are 16-byte aligned
    int first;                     // index of this problem's first tile
};

// The maps of a block, in global memory, where the copy unit reads them.
struct Maps {
    CUtensorMap a[2], b[2], d; // of A and B: the producer makes one pair while loads use the other
};

struct Shared {
    alignas(1024) bf16 a[STAGES][TILE_M][TILE_K], b[STAGES][TILE_N][TILE_K]; // aligned to the pattern of the swizzle
    bf16 out[OUTS][TILE_M][PART];
    alignas(128) CUtensorMap scratch_a, scratch_b, scratch_d;
    uint64_t full[STAGES], empty[STAGES], written[OUTS], stored[OUTS];
};

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes, to wgmma.
__device__ uint64_t descriptor(const bf16* first) {
    const uint64_t start = __cvta_generic_to_shared(first) / 16, eight_rows = 8 * 128 / 16;
    return start | eight_rows << 32 | uint64_t(1) << 62;
}

// Makes `map`, in global memory, a map of this matrix. The calling warp may use the map afterwards.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch, const bf16* base, int rows, int columns, int pitch) {
    using ptx::n32_t, ptx::space_shared;
    // TODO(1): replace what differs from matrix to matrix, release, acquire.
    // END TODO(1)
}

// A tile: the problem that it belongs to, and where it begins in D. Block b computes the tiles b, b + gridDim.x and so
// on: blocks that run at the same time find the same operands in the L2 cache.
struct Tile {
    Problem problem;
    int owner = 0, y, x; // owner: index of the problem

    // Moves on to tile `t` of the list. Returns false if the list has no such tile.
    __device__ bool seek(int t, const Problem* list, int count, int tiles) {
        if (t >= tiles)
            return false;
        while (owner + 1 < count && list[owner + 1].first <= t)
            ++owner;
        problem = list[owner];
        const int down = (problem.m + TILE_M - 1) / TILE_M;
        y = (t - problem.first) % down * TILE_M, x = (t - problem.first) / down * TILE_N;
        return true;
    }
    __device__ int steps() const { return (problem.k + TILE_K - 1) / TILE_K; }
};

// Loads the operands of the block's tiles. Called by one warp.
__device__ void produce(Shared& s, Maps& own, const Problem* list, int count, int tiles) {
    const bool issuer = elected();
    Tile tile;
    int pair = 1, described = -1;            // the pair of maps in use, and the problem that it describes
    [[maybe_unused]] int last[2] = {-1, -1}; // of each pair: the last load that used it; -1: none
    // `loads` counts over all tiles, so the ring runs on from one tile to the next.
    for (int t = blockIdx.x, loads = 0; tile.seek(t, list, count, tiles); t += gridDim.x) {
        [[maybe_unused]] const Problem& p = tile.problem;
        if (tile.owner != described) {
            pair = 1 - pair;
            // TODO(2): the maps of the other pair. How do you learn that its last load is complete? Do not wait for a
            // stage that has been filled again since.
            // END TODO(2)
        }
        described = tile.owner;
        for (int step = 0; step < tile.steps(); ++step, ++loads) {
            const int stage = loads % STAGES;
            const unsigned lap = loads / STAGES;
            // Wait until the stage is empty, announce the bytes, load a tile of each matrix. One lane loads.
            wait(&s.empty[stage], (lap + 1) % 2);
            if (issuer) {
                const int at_a[] = {step * TILE_K, tile.y}, at_b[] = {step * TILE_K, tile.x};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                               sizeof s.a[stage] + sizeof s.b[stage]);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.a[stage], &own.a[pair], at_a,
                                          &s.full[stage]);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.b[stage], &own.b[pair], at_b,
                                          &s.full[stage]);
            }
        }
        last[pair] = loads - 1;
    }
}

// Adds up the 64 rows from `row` of a tile. `loads` counts the stages that were used before. Called by a warpgroup.
__device__ void consume(Shared& s, Sums& sums, int row, int steps, int loads) {
    const auto release = [&](int load) {
        if (threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive(&s.empty[load % STAGES]);
    };
    for (int step = 0; step < steps; ++step, ++loads) {
        const int stage = loads % STAGES;
        wait(&s.full[stage], loads / STAGES % 2);
        wgmma_fence();
        for (int k = 0; k < TILE_K; k += 16)
            wgmma(sums, descriptor(&s.a[stage][row][k]), descriptor(&s.b[stage][0][k]));
        wgmma_commit();
        wgmma_wait<1>();
        if (step > 0)
            release(loads - 1);
    }
    wgmma_wait<0>();
    release(loads - 1);
    for (float& sum : sums.of)
        asm volatile("" : "+f"(sum)::"memory"); // the compiler reads no sum before the wait
}

// Rounds PART columns of the sums and writes them to the swizzled rows from `row` of `out`. A row has eight units of 16
// bytes. A thread has two elements of each unit, in two rows.
__device__ void write(bf16 (&out)[TILE_M][PART], const float* sums, int row) {
    const int lane = threadIdx.x % 32;
    row += threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < PART / 2; i += 2) {
        const int unit = i / 4 ^ row % 8;
        *reinterpret_cast<__nv_bfloat162*>(&out[row + i / 2 % 2 * 8][unit * 8 + lane % 4 * 2]) =
            __floats2bfloat162_rn(sums[i], sums[i + 1]);
    }
}

// Called by both consumer warpgroups.
__device__ void compute(Shared& s, const Problem* list, int count, int tiles) {
    const int row = (threadIdx.x / WARPGROUP - 1) * 64;
    Tile tile;
    for (int t = blockIdx.x, loads = 0, parts = 0; tile.seek(t, list, count, tiles); t += gridDim.x) {
        Sums sums;
        consume(s, sums, row, tile.steps(), loads);
        loads += tile.steps();
#pragma unroll
        for (int x = 0; x < TILE_N; x += PART, ++parts) {
            [[maybe_unused]] const int out = parts % OUTS;
            [[maybe_unused]] const unsigned lap = parts / OUTS;
            // TODO(3): when may you write to s.out[out]? Say that it is written: each warp arrives once.
            // END TODO(3)
        }
    }
}

// Stores the block's tiles. Called by one warp.
__device__ void store(Shared& s, CUtensorMap* map, const Problem* list, int count, int tiles) {
    [[maybe_unused]] const bool issuer = elected();
    Tile tile;
    int described = -1; // index of the problem that the map describes
    for (int t = blockIdx.x, parts = 0; tile.seek(t, list, count, tiles); t += gridDim.x) {
        [[maybe_unused]] const Problem& p = tile.problem;
        if (tile.owner != described) {
            // TODO(4): the map of D. What must have completed before?
            // END TODO(4)
        }
        described = tile.owner;
        for (int x = 0; x < TILE_N; x += PART, ++parts) {
            [[maybe_unused]] const int out = parts % OUTS;
            [[maybe_unused]] const unsigned lap = parts / OUTS;
            // TODO(5): wait until the part is written, store it, and say when the buffer may be written again.
            // END TODO(5)
        }
    }
}

__global__ void __launch_bounds__(THREADS)
    gemm(const Problem* __restrict__ list, int count, int tiles, const __grid_constant__ CUtensorMap rows_128,
         const __grid_constant__ CUtensorMap rows_256, Maps* maps) {
    extern __shared__ __align__(1024) unsigned char shared[];
    Shared& s = *reinterpret_cast<Shared*>(shared);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], CONSUMER_GROUPS * WARPGROUP / 32);
        }
        for (int i = 0; i < OUTS; ++i) {
            ptx::mbarrier_init(&s.written[i], CONSUMER_GROUPS * WARPGROUP / 32);
            ptx::mbarrier_init(&s.stored[i], 1);
        }
        s.scratch_a = s.scratch_d = rows_128;
        s.scratch_b = rows_256;
    }
    __syncthreads();
    if (threadIdx.x / WARPGROUP == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x / 32 == 0)
            produce(s, maps[blockIdx.x], list, count, tiles);
        else if (threadIdx.x / 32 == 1)
            store(s, &maps[blockIdx.x].d, list, count, tiles);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        compute(s, list, count, tiles);
    }
}

// Makes a form for maps of boxes of `rows` rows of 128 bytes, with 128-byte swizzle. It lacks what differs from matrix
// to matrix.
CUresult make_form(CUtensorMap* form, int rows) {
    const cuuint64_t size[] = {TILE_K, cuuint64_t(rows)}, pitch[] = {TILE_K * sizeof(bf16)};
    const cuuint32_t box[] = {TILE_K, cuuint32_t(rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(form, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, nullptr, size, pitch, box, step,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `list`: `count` problems. They and everything they point to are in device memory. `tiles`: their total.
cudaError_t launch(const Problem* list, int count, int tiles, cudaStream_t stream) {
    if (tiles == 0)
        return cudaSuccess;
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    CUtensorMap rows_128, rows_256;
    if (make_form(&rows_128, TILE_M) || make_form(&rows_256, TILE_N))
        return cudaErrorInvalidValue;
    const int blocks = std::min(tiles, sms);
    Maps* maps; // of this launch alone
    if (const cudaError_t error = cudaMallocAsync(&maps, blocks * sizeof(Maps), stream))
        return error;
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    gemm<<<blocks, THREADS, sizeof(Shared), stream>>>(list, count, tiles, rows_128, rows_256, maps);
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
