// Drill 23.1: a commit frees a stage
// In lab 18, the consumers wait for their products and then arrive on the `empty` barrier of the stage. With tcgen05,
// nobody has to wait: a commit is an arrival that happens by itself when all products are complete that its thread has
// issued. Connect the ring: the thread that multiplies lets a stage become empty, and the thread that loads waits for
// that. `empty` expects one arrival in a phase.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int ROWS = 128, COLUMNS = 32, DEPTH = 64; // of a tile of D; along k, of a step
constexpr int TILES = 1, STEPS = 7;                 // of all rows of A, one below the other; along k
constexpr int STAGES = 2, ACCUMULATORS = 2;
constexpr int THREADS = 192; // warp 0 loads, warp 1 multiplies, warps 2 to 5 store

struct Shared {
    alignas(1024) bf16 a[STAGES][ROWS][DEPTH], b[STAGES][COLUMNS][DEPTH];
    uint64_t full[STAGES], empty[STAGES];
    uint64_t tmem_full[ACCUMULATORS], tmem_empty[ACCUMULATORS];
    uint32_t sums; // address of the first accumulator; the second one has the next COLUMNS columns
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes.
__device__ uint64_t descriptor(const bf16* first) {
    return __cvta_generic_to_shared(first) / 16 | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
}

// Issues sums += A * transpose of B, or with `first` sums = A * transpose of B, for a step.
__device__ void multiply(uint32_t sums, const bf16* a, const bf16* b, bool first) {
    const uint32_t product = 1 << 4 | 1 << 7 | 1 << 10 | COLUMNS / 8 << 17 | ROWS / 16 << 24;
    for (int k = 0; k < DEPTH; k += 16)
        ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, sums, descriptor(a + k), descriptor(b + k), product,
                         !first || k > 0);
}

// Loads the operands of all steps. Called by one thread.
__device__ void load(Shared& s, const CUtensorMap& a, const CUtensorMap& b) {
    for (int turn = 0; turn < TILES * STEPS; ++turn) {
        const int stage = turn % STAGES, tile = turn / STEPS, step = turn % STEPS;
        const int at_a[] = {step * DEPTH, tile * ROWS}, at_b[] = {step * DEPTH, 0};
        // TODO(1): wait until the stage is empty. In the first lap it is.
        wait(&s.empty[stage], (turn / STAGES + 1) % 2);
        // END TODO(1)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                       sizeof s.a[stage] + sizeof s.b[stage]);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.a[stage], &a, at_a, &s.full[stage]);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.b[stage], &b, at_b, &s.full[stage]);
    }
}

// Multiplies all tiles. Called by one thread.
__device__ void compute(Shared& s) {
    for (int tile = 0; tile < TILES; ++tile) {
        const int accumulator = tile % ACCUMULATORS;
        const uint32_t sums = s.sums + accumulator * COLUMNS;
        wait(&s.tmem_empty[accumulator], (tile / ACCUMULATORS + 1) % 2);
        for (int step = 0; step < STEPS; ++step) {
            const int turn = tile * STEPS + step, stage = turn % STAGES;
            wait(&s.full[stage], turn / STAGES % 2);
            multiply(sums, s.a[stage][0], s.b[stage][0], step == 0);
            // TODO(2): the stage becomes empty when the products that read it are complete.
            ptx::tcgen05_commit(ptx::cta_group_1, &s.empty[stage]);
            // END TODO(2)
        }
        ptx::tcgen05_commit(ptx::cta_group_1, &s.tmem_full[accumulator]);
    }
}

// Stores all tiles to D. Called by four warps, each of which has a quarter of the lanes.
__device__ void store(Shared& s, float* d) {
    const int first = threadIdx.x / 32 % 4 * 32, row = first + threadIdx.x % 32; // in each tile
    for (int tile = 0; tile < TILES; ++tile) {
        [[maybe_unused]] const uint32_t sums = s.sums + (first << 16) + tile % ACCUMULATORS * COLUMNS;
        uint32_t part[COLUMNS] = {};
        wait(&s.tmem_full[tile % ACCUMULATORS], tile / ACCUMULATORS % 2);
        ptx::tcgen05_ld_32x32b(part, sums);
        ptx::tcgen05_wait_ld();
        if (threadIdx.x % 32 == 0)
            ptx::mbarrier_arrive(&s.tmem_empty[tile % ACCUMULATORS]);
        for (int i = 0; i < COLUMNS; ++i)
            d[(tile * ROWS + row) * COLUMNS + i] = __uint_as_float(part[i]);
        __syncwarp(); // the next load is for the whole warp
    }
}

// Initialises the barriers and allocates the columns. Called by all threads.
__device__ void prepare(Shared& s) {
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], 1);
        }
        for (int i = 0; i < ACCUMULATORS; ++i) {
            ptx::mbarrier_init(&s.tmem_full[i], 1);
            ptx::mbarrier_init(&s.tmem_empty[i], 4);
        }
    }
    if (threadIdx.x / 32 == 1)
        ptx::tcgen05_alloc(ptx::cta_group_1, &s.sums, ACCUMULATORS * COLUMNS);
    __syncthreads();
}

__global__ void __launch_bounds__(THREADS)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d) {
    __shared__ Shared s;
    prepare(s);
    const int warp = threadIdx.x / 32;
    if (warp == 0 && threadIdx.x % 32 == 0)
        load(s, a, b);
    else if (warp == 1 && threadIdx.x % 32 == 0)
        compute(s);
    else if (warp >= 2)
        store(s, d);
    __syncthreads(); // all sums have been loaded
    if (warp == 1)
        ptx::tcgen05_dealloc(ptx::cta_group_1, s.sums, ACCUMULATORS * COLUMNS);
}

CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows, int box_rows) {
    const cuuint64_t size[] = {STEPS * DEPTH, cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * STEPS * DEPTH};
    const cuuint32_t box[] = {DEPTH, cuuint32_t(box_rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `a`: TILES * 128 rows of STEPS * 64 elements. `b`: 32 such rows. `d`: TILES * 128 rows of 32.
cudaError_t launch(const bf16* a, const bf16* b, float* d, cudaStream_t stream) {
    CUtensorMap map_a, map_b;
    if (make_map(&map_a, a, TILES * ROWS, ROWS) || make_map(&map_b, b, COLUMNS, COLUMNS))
        return cudaErrorInvalidValue;
    gemm<<<1, THREADS, 0, stream>>>(map_a, map_b, d);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
