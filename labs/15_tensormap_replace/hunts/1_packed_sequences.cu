// Hunt 15.h1: packed sequences
// Unpacks a batch of sequences of different lengths into rows of equal length. One kernel makes a tensor map for each
// sequence, and a second one loads the sequences with them. In the first batch after the start of the server everything
// is right. Later, sequence 0 is always right, and others sometimes hold data of an earlier batch.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int FEATURES = 32;   // of a token
constexpr int TOKENS = 8;      // of a tile
constexpr int SEQUENCES = 128; // at most
constexpr int THREADS = FEATURES * TOKENS;

struct Batch {
    const float* tokens; // all sequences, one after another
    const int* begin;    // sequence s consists of the tokens begin[s] to begin[s + 1] - 1
};

__device__ CUtensorMap maps[SEQUENCES];

// A block of one warp for each sequence.
__global__ void __launch_bounds__(32)
    make_maps(const float* tokens, const int* begin, const __grid_constant__ CUtensorMap form) {
    __shared__ alignas(128) CUtensorMap scratch;
    const int s = blockIdx.x;
    if (threadIdx.x == 0) {
        scratch = form;
        ptx::tensormap_replace_global_address(ptx::space_shared, &scratch, tokens + begin[s] * FEATURES);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &scratch, ptx::n32_t<1>{}, begin[s + 1] - begin[s]);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &maps[s], &scratch, ptx::n32_t<128>{});
}

// Thread 0 of each block acquires the maps of the batch before it issues copies.
__device__ void acquire_maps() {
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, maps, ptx::n32_t<128>{});
}

// Block (x, y) unpacks the x-th tile of sequence y.
__global__ void __launch_bounds__(THREADS) unpack(float* out, int length) {
    __shared__ alignas(128) float tile[TOKENS][FEATURES];
    __shared__ uint64_t full;
    const int token = blockIdx.x * TOKENS + threadIdx.x / FEATURES, feature = threadIdx.x % FEATURES;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        acquire_maps();
        const int at[] = {0, int(blockIdx.x) * TOKENS};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &maps[blockIdx.y], at, &full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    if (token < length) // after the end of the sequence, zeros have arrived
        out[(blockIdx.y * length + token) * FEATURES + feature] = tile[threadIdx.x / FEATURES][feature];
}

/// `tokens` and `begin`: see Batch; `count` sequences, at most 128, none of them empty or longer than `length`. `out`:
/// `count` rows of `length` tokens, padded with zeros.
cudaError_t launch(const float* tokens, const int* begin, float* out, int count, int length, cudaStream_t stream) {
    CUtensorMap form;
    const cuuint64_t size[] = {FEATURES, TOKENS}, stride[] = {FEATURES * sizeof(float)};
    const cuuint32_t box[] = {FEATURES, TOKENS}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    make_maps<<<count, 32, 0, stream>>>(tokens, begin, form);
    const dim3 tiles((length + TOKENS - 1) / TOKENS, count);
    unpack<<<tiles, THREADS, 0, stream>>>(out, length);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
