// Lab 20 with nothing in flight while something else goes on, for comparison: ./lab bench 20. The grid, the tiles, the
// maps and the tensor-core instructions are those of the lab, but the block waits for each load and for each product
// before it continues, and threads store the sums.
#include "lab.h"

#include <algorithm>
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

#include "tma.h"   // in common/check/student: elected(), wait()
#include "wgmma.h" // Sums, wgmma(), wgmma_fence(), wgmma_commit(), wgmma_wait<N>()

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int TILE_M = 128, TILE_N = 256;           // of D
constexpr int TILE_K = 64;                          // of a stage: 128 bytes, the span of the widest swizzle
constexpr int WARPGROUP = 128, CONSUMER_GROUPS = 2; // threads; warpgroups of 64 rows each
constexpr int THREADS = WARPGROUP * CONSUMER_GROUPS;

struct Problem {
    const bf16 *a, *b;             // m rows and n rows, of k elements
    bf16* d;                       // m rows of n elements
    int m, n, k;                   // k is not 0
    int a_pitch, b_pitch, d_pitch; // elements from one row to the next, multiples of 8; pointers are 16-byte aligned
    int first;                     // index of this problem's first tile
};

// The maps of a block, in global memory, where the copy unit reads them.
struct Maps {
    CUtensorMap a, b;
};

struct Shared {
    alignas(1024) bf16 a[TILE_M][TILE_K], b[TILE_N][TILE_K]; // aligned to the pattern of the swizzle
    alignas(128) CUtensorMap scratch_a, scratch_b;
    uint64_t full;
};

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes, to wgmma.
__device__ uint64_t descriptor(const bf16* first) {
    const uint64_t start = __cvta_generic_to_shared(first) / 16, eight_rows = 8 * 128 / 16;
    return start | eight_rows << 32 | uint64_t(1) << 62;
}

// Makes `map`, in shared memory, a map for boxes of `box_rows` rows of 128 bytes, with 128-byte swizzle. It lacks what
// differs from matrix to matrix.
__device__ void begin_map(CUtensorMap* map, int box_rows) {
    using ptx::n32_t, ptx::space_shared;
    *map = CUtensorMap{};
    ptx::tensormap_replace_rank(space_shared, map, 2 - 1);
    ptx::tensormap_replace_box_dim(space_shared, map, n32_t<0>{}, TILE_K);
    ptx::tensormap_replace_box_dim(space_shared, map, n32_t<1>{}, box_rows);
    ptx::tensormap_replace_element_size(space_shared, map, n32_t<0>{}, 1);
    ptx::tensormap_replace_element_size(space_shared, map, n32_t<1>{}, 1);
    ptx::tensormap_replace_elemtype(space_shared, map, n32_t<10>{});    // bf16
    ptx::tensormap_replace_swizzle_mode(space_shared, map, n32_t<3>{}); // 128 bytes
}

// Makes `map`, in global memory, a map of this matrix. The calling warp may use the map afterwards.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch, const bf16* base, int rows, int columns, int pitch) {
    using ptx::n32_t, ptx::space_shared;
    if (threadIdx.x % 32 == 0) {
        ptx::tensormap_replace_global_address(space_shared, scratch, base);
        ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<0>{}, columns);
        ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<1>{}, rows);
        ptx::tensormap_replace_global_stride(space_shared, scratch, n32_t<0>{}, sizeof(bf16) * uint64_t(pitch));
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, scratch, n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, n32_t<128>{});
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

__global__ void __launch_bounds__(THREADS) gemm(const Problem* list, int count, int tiles, Maps* maps) {
    extern __shared__ __align__(1024) unsigned char shared[];
    Shared& s = *reinterpret_cast<Shared*>(shared);
    Maps& own = maps[blockIdx.x];
    const int row = threadIdx.x / WARPGROUP * 64, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.full, 1);
        begin_map(&s.scratch_a, TILE_M);
        begin_map(&s.scratch_b, TILE_N);
    }
    __syncthreads();
    Tile tile;
    int described = -1;
    for (int t = blockIdx.x, loads = 0; tile.seek(t, list, count, tiles); t += gridDim.x) {
        const Problem& p = tile.problem;
        if (tile.owner != described && threadIdx.x < 32) {
            publish(&own.a, &s.scratch_a, p.a, p.m, p.k, p.a_pitch);
            publish(&own.b, &s.scratch_b, p.b, p.n, p.k, p.b_pitch);
        }
        described = tile.owner;
        Sums sums;
        for (int step = 0; step < tile.steps(); ++step, ++loads) {
            if (threadIdx.x == 0) {
                const int at_a[] = {step * TILE_K, tile.y}, at_b[] = {step * TILE_K, tile.x};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full,
                                               sizeof s.a + sizeof s.b);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.a, &own.a, at_a, &s.full);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.b, &own.b, at_b, &s.full);
            }
            wait(&s.full, loads % 2);
            wgmma_fence();
            for (int k = 0; k < TILE_K; k += 16)
                wgmma(sums, descriptor(&s.a[row][k]), descriptor(&s.b[0][k]));
            wgmma_commit();
            wgmma_wait<0>();
            __syncthreads(); // both warpgroups have read the stage
        }
        for (float& sum : sums.of)
            asm volatile("" : "+f"(sum)::"memory"); // the compiler reads no sum before the wait
        const int y = tile.y + row + threadIdx.x / 32 % 4 * 16 + lane / 4, x = tile.x + lane % 4 * 2;
        for (int i = 0; i < TILE_N / 2; ++i)
            if (const int r = y + i / 2 % 2 * 8, c = x + i / 4 * 8 + i % 2; r < p.m && c < p.n)
                p.d[size_t(r) * p.d_pitch + c] = __float2bfloat16_rn(sums.of[i]);
    }
}

/// `list`: `count` problems. They and everything they point to are in device memory. `tiles`: their total.
cudaError_t launch(const Problem* list, int count, int tiles, cudaStream_t stream) {
    if (tiles == 0)
        return cudaSuccess;
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    const int blocks = std::min(tiles, sms);
    Maps* maps;
    if (const cudaError_t error = cudaMallocAsync(&maps, blocks * sizeof(Maps), stream))
        return error;
    gemm<<<blocks, THREADS, sizeof(Shared), stream>>>(list, count, tiles, maps);
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
