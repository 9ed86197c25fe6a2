// Lab 06: cuda::pipeline.   The sum of n numbers (mod 2^32), streamed through shared memory in three ways: with one
// pipeline per thread, with one pipeline for the block, and with one partitioned into producers and consumers.
#include "lab.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init // make_pipeline initialises a pipeline_shared_state

namespace cg = cooperative_groups;

constexpr int THREADS = 256;      // threads that add
constexpr int PRODUCERS = 32;     // threads that only copy, in the partitioned pipeline: one more warp
constexpr int TILE = 8 * THREADS; // numbers: 8 KiB
constexpr int STAGES = 4;

// A block processes the tiles blockIdx.x, blockIdx.x + gridDim.x, …
struct Tiles {
    int n, block = blockIdx.x, blocks = gridDim.x;
    __device__ int size() const { return ((n + TILE - 1) / TILE - block + blocks - 1) / blocks; }
    __device__ int first(int k) const { return (block + k * blocks) * TILE; }
    __device__ int count(int k) const { return min(n - first(k), TILE); }
};

// `group` copies `count` numbers: 16 bytes at a time as far as possible, and the ragged end 4 bytes at a time.
template <class Group, class Pipeline>
__device__ void copy(const Group& group, uint32_t* shared, const uint32_t* global, int count, Pipeline& pipe) {
    const int whole = count & ~3;
    cuda::memcpy_async(group, shared, global, cuda::aligned_size_t<16>(whole * 4), pipe);
    cuda::memcpy_async(group, shared + whole, global + whole, cuda::aligned_size_t<4>((count - whole) * 4), pipe);
}

// Unified: the same threads fill(k) and read(k) the k-th tile, in stage k % STAGES, with STAGES - 1 other tiles in
// flight.
template <class Pipeline, class Fill, class Read>
__device__ void stream(Pipeline& pipe, int tiles, Fill fill, Read read) {
    // TODO(1): as producers acquire, fill and commit a stage; as consumers wait for, read and release a stage.
    for (int k = 0; k < tiles; ++k) { // placeholder: fills and reads
        fill(k);
        read(k);
    }
    // END TODO(1)
}

__device__ void add_to(uint32_t* total, uint32_t sum) {
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, sum);
}

// Adds this thread's numbers of a tile: four out of each 4 · THREADS.
__device__ uint32_t sum_of(const uint32_t* tile, int count) {
    uint32_t sum = 0;
    for (int e = 4 * threadIdx.x; e < count; e += 4 * THREADS)
        if (e + 4 <= count) {
            const uint4 x = *reinterpret_cast<const uint4*>(&tile[e]); // one read of 16 bytes
            sum += x.x + x.y + x.z + x.w;
        } else {
            for (int j = e; j < count; ++j)
                sum += tile[j];
        }
    return sum;
}

// Every thread reads only what it has copied itself, so it needs no barrier.
__global__ void __launch_bounds__(THREADS) sum_thread_scope(const uint32_t* in, uint32_t* total, int n) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    auto pipe = cuda::make_pipeline();
    const Tiles tiles{n};
    uint32_t sum = 0;
    auto fill = [&](int k) {
        for (int e = 4 * threadIdx.x; e < tiles.count(k); e += 4 * THREADS) {
            uint32_t* const to = &ring[k % STAGES][e];
            const uint32_t* const from = in + tiles.first(k) + e;
            if (e + 4 <= tiles.count(k)) // the compiler knows the size: one instruction
                cuda::memcpy_async(to, from, cuda::aligned_size_t<16>(16), pipe);
            else
                copy(cg::this_thread(), to, from, tiles.count(k) - e, pipe);
        }
    };
    stream(pipe, tiles.size(), fill, [&](int k) { sum += sum_of(ring[k % STAGES], tiles.count(k)); });
    add_to(total, sum);
}

// The block copies together, and every thread reads what others have copied.
__global__ void __launch_bounds__(THREADS) sum_block_scope(const uint32_t* in, uint32_t* total, int n) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const Tiles tiles{n};
    uint32_t sum = 0;
    auto fill = [&](int k) { copy(block, ring[k % STAGES], in + tiles.first(k), tiles.count(k), pipe); };
    stream(pipe, tiles.size(), fill, [&](int k) { sum += sum_of(ring[k % STAGES], tiles.count(k)); });
    add_to(total, sum);
}

// The last warp copies, and runs ahead until all stages are full. The other warps read.
__global__ void __launch_bounds__(THREADS + PRODUCERS) sum_partitioned(const uint32_t* in, uint32_t* total, int n) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const auto block = cg::this_thread_block();
    const auto role = threadIdx.x < THREADS ? cuda::pipeline_role::consumer : cuda::pipeline_role::producer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    const Tiles tiles{n};
    if (role == cuda::pipeline_role::producer) {
        const auto warp = cg::tiled_partition<PRODUCERS>(block);
        // TODO(2): the producers' calls.
        for (int k = 0; k < tiles.size(); ++k)
            copy(warp, ring[k % STAGES], in + tiles.first(k), tiles.count(k), pipe);
        // END TODO(2)
    } else {
        uint32_t sum = 0;
        // TODO(3): the consumers' calls.
        for (int k = 0; k < tiles.size(); ++k)
            sum += sum_of(ring[k % STAGES], tiles.count(k));
        // END TODO(3)
        add_to(total, sum);
    }
}

enum class Scope : int { thread, block, partitioned };

/// `in` is a 16-byte aligned array of n numbers in device memory; `total` is one number.
/// n is at most 2^31 - 2^22: the index of a block's next tile is an int, too.
cudaError_t launch(const uint32_t* in, uint32_t* total, int n, Scope scope, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const auto kernel = scope == Scope::thread  ? sum_thread_scope
                        : scope == Scope::block ? sum_block_scope
                                                : sum_partitioned;
    const int grid = std::clamp((n + TILE - 1) / TILE, 1, 2 * sms); // persistent blocks: two per SM
    cudaMemsetAsync(total, 0, sizeof(*total), stream);
    kernel<<<grid, scope == Scope::partitioned ? THREADS + PRODUCERS : THREADS, 0, stream>>>(in, total, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
