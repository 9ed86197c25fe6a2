// Lab 20 with nothing in flight, for comparison: ./lab bench 20. The tiles, the grid and the tensor-core instructions are
// those of the lab, but a block waits for each copy before it goes on, and threads store the results.
#include "lab.h"

#include <algorithm>
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;
using bf16 = __nv_bfloat16;

constexpr int ROWS = 128, COLUMNS = 256; // of a tile of D; a warpgroup has 64 of the rows
constexpr int DEPTH = 64;                // of a stage: 128 bytes of a row, the span of the widest swizzle
constexpr int THREADS = 2 * 128;
constexpr int MOST_BLOCKS = 1024;

struct Problem {
    const bf16 *a, *b;              // m rows and n rows of k elements
    bf16* d;                        // m rows of n elements
    int m, n, k;
    int a_pitch, b_pitch, d_pitch;  // elements from one row to the next: multiples of 8; pointers: of 16 bytes
    int first;                      // index of this problem's first tile
};

struct Shared {
    alignas(1024) bf16 a[ROWS * DEPTH], b[COLUMNS * DEPTH];
    alignas(128) CUtensorMap scratch[2]; // for A and B
    uint64_t full;
};

__device__ CUtensorMap maps[MOST_BLOCKS][2]; // of a block: for A and B

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// A tile of the list: its problem, and where it begins in D.
struct Tile {
    int index, owner = 0, row, column;
    Problem problem;

    // Moves on to tile `t`, which comes later in the list. False: there is none.
    __device__ bool seek(int t, const Problem* list, int count, int tiles) {
        if (t >= tiles)
            return false;
        while (owner + 1 < count && list[owner + 1].first <= t)
            ++owner;
        index = t, problem = list[owner];
        const int down = (problem.m + ROWS - 1) / ROWS;
        row = (t - problem.first) % down * ROWS, column = (t - problem.first) / down * COLUMNS;
        return true;
    }
    __device__ int steps() const { return (problem.k + DEPTH - 1) / DEPTH; }
};

// Makes `map`, in shared memory, a map for boxes of `box_rows` times 128 bytes, with 128-byte swizzle, of no matrix yet.
__device__ void begin_map(CUtensorMap* map, int box_rows) {
    using ptx::n32_t, ptx::space_shared;
    *map = CUtensorMap{};
    ptx::tensormap_replace_rank(space_shared, map, 2 - 1);
    ptx::tensormap_replace_box_dim(space_shared, map, n32_t<0>{}, DEPTH);
    ptx::tensormap_replace_box_dim(space_shared, map, n32_t<1>{}, box_rows);
    ptx::tensormap_replace_element_size(space_shared, map, n32_t<0>{}, 1);
    ptx::tensormap_replace_element_size(space_shared, map, n32_t<1>{}, 1);
    ptx::tensormap_replace_elemtype(space_shared, map, n32_t<10>{});     // bf16
    ptx::tensormap_replace_swizzle_mode(space_shared, map, n32_t<3>{});  // 128 bytes
}

// Makes `map`, in global memory, a map of this matrix. The calling warp may use the map afterwards.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch, const bf16* base, int rows, int columns, int pitch) {
    using ptx::n32_t, ptx::space_shared;
    if (threadIdx.x % 32 == 0) {
        ptx::tensormap_replace_global_address(space_shared, scratch, base);
        ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<0>{}, columns);
        ptx::tensormap_replace_global_dim(space_shared, scratch, n32_t<1>{}, rows);
        ptx::tensormap_replace_global_stride(space_shared, scratch, n32_t<0>{}, 2 * uint64_t(pitch));
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, scratch, n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, n32_t<128>{});
}

// K-major, swizzled by 128 bytes; 8 rows are 1024 bytes.
__device__ uint64_t descriptor(const bf16* tile) {
    return uint64_t(__cvta_generic_to_shared(tile)) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define EIGHT(N)                                                                                                       \
    "+f"(d[N]), "+f"(d[N + 1]), "+f"(d[N + 2]), "+f"(d[N + 3]), "+f"(d[N + 4]), "+f"(d[N + 5]), "+f"(d[N + 6]),        \
        "+f"(d[N + 7])

// d += a * b, or d = a * b: 64 x 256 sums of a warpgroup, 16 elements deep.
__device__ void multiply(float (&d)[128], uint64_t a, uint64_t b, bool add) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %130, 0; wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "
        "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "
        "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, "
        "%68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, "
        "%90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
        "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, p, 1, 1, 0, 0; }"
        : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56), EIGHT(64), EIGHT(72),
          EIGHT(80), EIGHT(88), EIGHT(96), EIGHT(104), EIGHT(112), EIGHT(120)
        : "l"(a), "l"(b), "r"(int(add)));
}

template <int N>
__device__ void wait_for_groups() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

__global__ void __launch_bounds__(THREADS, 1) gemm(const Problem* list, int count, int tiles) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& s = *reinterpret_cast<Shared*>(memory);
    CUtensorMap* const own = maps[blockIdx.x];
    const int half = threadIdx.x / 128, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&s.full, 1);
        begin_map(&s.scratch[0], ROWS);
        begin_map(&s.scratch[1], COLUMNS);
    }
    __syncthreads();
    Tile tile;
    float d[128];
    for (int q = 0, t = blockIdx.x; tile.seek(t, list, count, tiles); t += gridDim.x) {
        const Problem& p = tile.problem;
        if (threadIdx.x < 32) {
            publish(&own[0], &s.scratch[0], p.a, p.m, p.k, p.a_pitch);
            publish(&own[1], &s.scratch[1], p.b, p.n, p.k, p.b_pitch);
        }
        for (int k = 0; k < tile.steps(); ++k, ++q) {
            if (threadIdx.x == 0) {
                const int at_a[] = {k * DEPTH, tile.row}, at_b[] = {k * DEPTH, tile.column};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full,
                                               sizeof s.a + sizeof s.b);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.a, &own[0], at_a, &s.full);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.b, &own[1], at_b, &s.full);
            }
            wait(&s.full, q % 2);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int i = 0; i < DEPTH; i += 16)
                multiply(d, descriptor(&s.a[half * 64 * DEPTH + i]), descriptor(&s.b[i]), k + i > 0);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            wait_for_groups<0>();
            __syncthreads(); // both warpgroups have read the tiles
        }
        for (float& each : d)
            asm volatile("" : "+f"(each)::"memory"); // not read before the wait
        const int row = tile.row + half * 64 + threadIdx.x % 128 / 32 * 16 + lane / 4;
        for (int i = 0; i < 128; ++i) {
            const int r = row + i / 2 % 2 * 8, c = tile.column + i / 4 * 8 + lane % 4 * 2 + i % 2;
            if (r < p.m && c < p.n)
                p.d[size_t(r) * p.d_pitch + c] = __float2bfloat16_rn(d[i]);
        }
    }
}

/// `list`: `count` problems. They and everything they point to are in device memory. `tiles`: their total.
cudaError_t launch(const Problem* list, int count, int tiles, cudaStream_t stream) {
    if (tiles == 0)
        return cudaSuccess;
    int sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    gemm<<<std::min({tiles, sms, MOST_BLOCKS}), THREADS, sizeof(Shared), stream>>>(list, count, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
