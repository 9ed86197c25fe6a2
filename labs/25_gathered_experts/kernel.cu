// Lab 25: a layer of a mixture of experts, in bfloat16, on Blackwell's tensor cores. Each token belongs to one expert,
// and the tokens of an expert are scattered over the matrix: their rows are gathered, multiplied by the expert's
// weights, and scattered to where they came from. A block is launched for each tile, and blocks that run take over
// those that have not started.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;

using bf16 = __nv_bfloat16;

constexpr int TILE_M = 128, TILE_N = 128; // of the result: tokens, columns
constexpr int TILE_K = 64;                // of a stage: 128 bytes, the span of the widest swizzle
constexpr int STAGES = 3;
constexpr int ACCUMULATORS = 2;     // tiles that are in Tensor Memory at a time, in TILE_N columns each
constexpr int SLOTS = 2;            // for responses to requests
constexpr int EPILOGUE = 4;         // warps that store
constexpr int ROLES = 3 + EPILOGUE; // warps that read a response; the others load, multiply, request
constexpr int THREADS = 32 * ROLES;

struct Expert {
    const bf16* weights; // n rows of k elements
    int first, rows;     // of `order`: the tokens of this expert
    int first_tile;      // index of its first tile
};

struct Layer {
    const Expert* experts;
    const int* order; // the tokens, expert by expert
    int count, tokens, n, k;
};

struct Shared {
    alignas(1024) bf16 a[STAGES][TILE_M][TILE_K], b[STAGES][TILE_N][TILE_K]; // aligned to the pattern of the swizzle
    bf16 out[TILE_N / TILE_K][TILE_M][TILE_K];
    alignas(128) CUtensorMap scratch;
    alignas(16) longlong2 response[SLOTS];
    uint64_t full[STAGES], empty[STAGES];
    uint64_t tmem_full[ACCUMULATORS], tmem_empty[ACCUMULATORS];
    uint64_t answered[SLOTS], read[SLOTS]; // the response is there; all roles have read it
    uint32_t sums;                         // address in Tensor Memory of the first accumulator
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Arrives, and announces bytes.
__device__ void expect(uint64_t* barrier, unsigned bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

// The tiles of a block: its own first, then those that it takes over. Each warp has a copy and moves on by itself.
struct Work {
    const Layer& layer;
    int tile = blockIdx.x, round = 0;
    Expert expert;
    int number = 0; // of the expert
    int y, x;       // where the tile begins: the first of the expert's rows, the first column

    __device__ explicit Work(const Layer& l) : layer(l) { find(); }

    __device__ void find() {
        for (number = 0; number + 1 < layer.count && layer.experts[number + 1].first_tile <= tile;)
            ++number;
        expert = layer.experts[number];
        const int down = (expert.rows + TILE_M - 1) / TILE_M, index = tile - expert.first_tile;
        y = index % down * TILE_M, x = index / down * TILE_N;
    }
    // The token of a row of the tile. Below the last one it is a row that the matrices do not have.
    __device__ int token(int row) const {
        return y + row < expert.rows ? layer.order[expert.first + y + row] : layer.tokens;
    }
    // The tokens of four rows.
    __device__ int4 tokens(int row) const { return {token(row), token(row + 1), token(row + 2), token(row + 3)}; }

    // Moves on to the next tile. Returns false if there is none. Called by a whole warp.
    __device__ bool next(Shared& s);
};

// --- checkpoint 1: a tile --------------------------------------------------------------------------------------------

// Makes `map`, in global memory, a map of these weights. The calling warp may use it afterwards.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch, const bf16* weights) {
    // TODO(1): replace the address in `scratch`, release, acquire.
    // END TODO(1)
}

// Loads the operands of all tiles. Called by a warp, each lane of which gathers four rows of a stage.
__device__ void load(Shared& s, const CUtensorMap& x, CUtensorMap (&maps)[2], const Layer& layer) {
    const int lane = threadIdx.x % 32, row = 4 * lane;
    int turn = 0, map = 1, described = -1, last[2] = {-1, -1}; // turns in which each map was used, as in lab 20
    Work work(layer);
    do {
        if (work.number != described) {
            map = 1 - map;
            if (last[map] >= 0 && turn <= last[map] + STAGES)
                wait(&s.empty[last[map] % STAGES], last[map] / STAGES % 2);
            publish(&maps[map], &s.scratch, work.expert.weights);
            described = work.number;
        }
        [[maybe_unused]] const int4 tokens = work.tokens(row);
        for (int step = 0; step * TILE_K < layer.k; ++step, ++turn) {
            const int stage = turn % STAGES, column = step * TILE_K;
            wait(&s.empty[stage], (turn / STAGES + 1) % 2);
            // TODO(2): one lane announces the bytes of both operands. Each lane gathers four rows, from `row` on.
            // END TODO(2)
            const int at_b[] = {column, work.x};
            if (lane == 0)
                ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, s.b[stage], &maps[map], at_b,
                                          &s.full[stage]);
            __syncwarp();
        }
        last[map] = turn - 1;
    } while (work.next(s));
}

// Describes rows of 128 bytes in shared memory, swizzled by 128 bytes, to tcgen05.
__device__ uint64_t descriptor(const bf16* first) {
    return __cvta_generic_to_shared(first) / 16 | uint64_t(8 * 128 / 16) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
}

// Multiplies all tiles. Called by a warp, one thread of which issues.
__device__ void multiply(Shared& s, const Layer& layer) {
    const uint32_t product = 1 << 4 | 1 << 7 | 1 << 10 | TILE_N / 8 << 17 | TILE_M / 16 << 24;
    int turn = 0;
    Work work(layer);
    do {
        const int accumulator = work.round % ACCUMULATORS;
        const uint32_t sums = s.sums + accumulator * TILE_N;
        wait(&s.tmem_empty[accumulator], (work.round / ACCUMULATORS + 1) % 2);
        for (int step = 0; step * TILE_K < layer.k; ++step, ++turn) {
            const int stage = turn % STAGES;
            wait(&s.full[stage], turn / STAGES % 2);
            if (threadIdx.x % 32 == 0) {
                for (int k = 0; k < TILE_K; k += 16)
                    ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, sums, descriptor(&s.a[stage][0][k]),
                                     descriptor(&s.b[stage][0][k]), product, step + k > 0);
                ptx::tcgen05_commit(ptx::cta_group_1, &s.empty[stage]);
            }
        }
        if (threadIdx.x % 32 == 0)
            ptx::tcgen05_commit(ptx::cta_group_1, &s.tmem_full[accumulator]);
        __syncwarp();
    } while (work.next(s));
}

__device__ uint32_t pack(uint32_t low, uint32_t high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(__uint_as_float(low), __uint_as_float(high));
    uint32_t bits;
    memcpy(&bits, &both, sizeof bits);
    return bits;
}

// Stores all tiles. Called by EPILOGUE warps, each of which has 32 rows of the tile.
__device__ void store(Shared& s, const CUtensorMap& y, const Layer& layer) {
    const int lane = threadIdx.x % 32, quarter = threadIdx.x / 32 % 4, row = 32 * quarter + lane;
    Work work(layer);
    do {
        const int accumulator = work.round % ACCUMULATORS;
        const uint32_t sums = s.sums + (32 * quarter << 16) + accumulator * TILE_N;
        wait(&s.tmem_full[accumulator], work.round / ACCUMULATORS % 2);
        // TODO(6), checkpoint 3: what must be complete before you write to this warp's rows of s.out again?
        // END TODO(6)
        for (int column = 0; column < TILE_N; column += 32) {
            uint32_t part[32];
            ptx::tcgen05_ld_32x32b(part, sums + column);
            ptx::tcgen05_wait_ld();
            if (column + 32 == TILE_N && lane == 0)
                ptx::mbarrier_arrive(&s.tmem_empty[accumulator]);
#pragma unroll
            for (int i = 0; i < 32; i += 8) {
                const int unit = (column % TILE_K + i) / 8 ^ row % 8; // the 128-byte swizzle
                *reinterpret_cast<uint4*>(&s.out[column / TILE_K][row][unit * 8]) = {
                    pack(part[i], part[i + 1]), pack(part[i + 2], part[i + 3]), pack(part[i + 4], part[i + 5]),
                    pack(part[i + 6], part[i + 7])};
            }
        }
        // What a lane of the first 16 scatters: four rows, from `first` on, of one half of the columns.
        [[maybe_unused]] const int half = lane / 8, first = 32 * quarter + lane % 8 * 4;
        [[maybe_unused]] const int4 tokens = work.tokens(first);
        // TODO(3): hand the rows over to the copy unit, and scatter them. Their bytes are a group of their lane.
        // END TODO(3)
        __syncwarp();
    } while (work.next(s));
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

// --- checkpoint 2: tiles of other blocks -----------------------------------------------------------------------------

// Requests tiles of blocks that have not started, until there are none. Called by a warp, one thread of which requests.
__device__ void request(Shared& s, const Layer& layer) {
    Work work(layer);
    do {
        [[maybe_unused]] const int slot = work.round % SLOTS;
        if (threadIdx.x % 32 == 0) {
            // TODO(4): when may the slot be used again? Announce the bytes of the response, and request.
            // END TODO(4)
        }
        __syncwarp();
    } while (work.next(s));
}

__device__ bool Work::next(Shared& s) {
    [[maybe_unused]] const int slot = round % SLOTS;
    bool more = false;
    // TODO(5): wait for the response. Is there another tile, and which one? Say that this warp has read the response,
    // which the copy unit will overwrite.
    // END TODO(5)
    ++round;
    if (more)
        find();
    return more;
}

__global__ void __launch_bounds__(THREADS)
    experts(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y,
            const __grid_constant__ CUtensorMap form, CUtensorMap (*maps)[2], const Layer layer) {
    extern __shared__ __align__(1024) unsigned char shared[];
    Shared& s = *reinterpret_cast<Shared*>(shared);
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);  // the lane that announces the bytes
            ptx::mbarrier_init(&s.empty[i], 1); // a commit
        }
        for (int i = 0; i < ACCUMULATORS; ++i) {
            ptx::mbarrier_init(&s.tmem_full[i], 1);         // a commit
            ptx::mbarrier_init(&s.tmem_empty[i], EPILOGUE); // one lane of each warp that stores
        }
        for (int i = 0; i < SLOTS; ++i) {
            ptx::mbarrier_init(&s.answered[i], 1); // the thread that requests
            ptx::mbarrier_init(&s.read[i], ROLES); // one lane of each warp
        }
        s.scratch = form;
        ptx::fence_proxy_async(ptx::space_shared);
    }
    if (warp == 1)
        ptx::tcgen05_alloc(ptx::cta_group_1, &s.sums, ACCUMULATORS * TILE_N);
    __syncthreads();

    if (warp == 0)
        load(s, x, maps[blockIdx.x], layer);
    else if (warp == 1)
        multiply(s, layer);
    else if (warp < 2 + EPILOGUE)
        store(s, y, layer);
    else
        request(s, layer);

    __syncthreads(); // all sums have been loaded
    if (warp == 1)
        ptx::tcgen05_dealloc(ptx::cta_group_1, s.sums, ACCUMULATORS * TILE_N);
}

// Makes a map of a matrix for boxes of `box_rows` rows and TILE_K columns. To gather or scatter rows, a box has one.
CUresult make_map(CUtensorMap* map, const bf16* matrix, int rows, int columns, int box_rows) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, pitch[] = {sizeof(bf16) * cuuint64_t(columns)};
    const cuuint32_t box[] = {TILE_K, cuuint32_t(box_rows)}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// In device memory: `x`, `tokens` rows of k elements; `y`, as many rows of n; `order`, the numbers of the tokens,
/// expert by expert; `list`, `count` experts. `tiles`: how many they have together. n and k are multiples of 8, and all
/// matrices are aligned to 128 bytes.
cudaError_t launch(const bf16* x, bf16* y, const int* order, const Expert* list, int count, int tokens, int n, int k,
                   int tiles, cudaStream_t stream) {
    if (tiles == 0)
        return cudaSuccess;
    CUtensorMap from, to, form;
    if (make_map(&from, x, tokens, k, 1) || make_map(&to, y, tokens, n, 1) || make_map(&form, nullptr, n, k, TILE_N))
        return cudaErrorInvalidValue;
    CUtensorMap(*maps)[2]; // two for each block
    if (const cudaError_t error = cudaMallocAsync(&maps, tiles * sizeof *maps, stream))
        return error;
    cudaFuncSetAttribute(experts, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared));
    experts<<<tiles, THREADS, sizeof(Shared), stream>>>(from, to, form, maps, {list, order, count, tokens, n, k});
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
