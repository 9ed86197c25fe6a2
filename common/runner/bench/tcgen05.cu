// A matrix product of Blackwell: bulk copies fill stages, one thread issues tcgen05.mma, and all threads load the sums
// from Tensor Memory at the end.
#include <cstdint>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr uint32_t STAGES = 2, ROWS = 128, STEP = 2 * ROWS * 16; // a step: 16 columns of a matrix of ROWS rows
constexpr uint32_t MATRIX = 2 * STEP, STAGE = 2 * MATRIX, TILES = 16;
// Sums in f32, A and B in bf16, N = M = ROWS.
constexpr uint32_t SHAPE = 1 << 4 | 1 << 7 | 1 << 10 | ROWS / 8 << 17 | ROWS / 16 << 24;

// Without swizzle: 8 rows of 16 bytes follow each other, the next 16 bytes of a row are 16 * ROWS bytes away.
__device__ uint64_t descriptor(const unsigned char* matrix) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(matrix)) >> 4 | uint64_t{ROWS} << 16 | uint64_t{8} << 32 |
           uint64_t{1} << 46;
}

__device__ void wait(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

extern "C" __global__ void bench(uint32_t* data, uint32_t n) {
    __shared__ alignas(128) unsigned char stages[STAGES][STAGE];
    __shared__ uint64_t full[STAGES], empty[STAGES], done;
    __shared__ uint32_t columns;
    const uint32_t t = threadIdx.x;
    if (t == 0) {
        for (uint32_t s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 1);
        }
        ptx::mbarrier_init(&done, 1);
    }
    if (t / 32 == 2)
        ptx::tcgen05_alloc(ptx::cta_group_1, &columns, uint32_t{ROWS});
    __syncthreads();
    const uint32_t sums = columns;
    const auto* in = reinterpret_cast<const unsigned char*>(data) + blockIdx.x * TILES * STAGE;
    for (uint32_t k = 0; t == 0 && k < n; ++k) {
        const uint32_t s = k % STAGES;
        wait(&empty[s], ~(k / STAGES) & 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], uint32_t{STAGE});
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stages[s], in + k % TILES * STAGE, uint32_t{STAGE},
                           &full[s]);
    }
    for (uint32_t k = 0; t == 32 && k < n; ++k) {
        const uint32_t s = k % STAGES;
        wait(&full[s], k / STAGES & 1);
        for (uint32_t at = 0; at < MATRIX; at += STEP)
            ptx::tcgen05_mma(ptx::kind_f16, ptx::cta_group_1, sums, descriptor(stages[s] + at),
                             descriptor(stages[s] + MATRIX + at), SHAPE, k + at > 0);
        ptx::tcgen05_commit(ptx::cta_group_1, &empty[s]);
    }
    if (t == 32)
        ptx::tcgen05_commit(ptx::cta_group_1, &done);
    __syncwarp();
    wait(&done, 0);
    uint32_t sum = 0;
    for (uint32_t column = 0; column < ROWS; column += 32) {
        uint32_t values[32];
        ptx::tcgen05_ld_32x32b(values, sums + (t / 32 * 32 << 16) + column);
        ptx::tcgen05_wait_ld();
        for (const uint32_t value : values)
            sum += value;
    }
    data[8 * TILES * STAGE / 4 + blockIdx.x * ROWS + t] = sum;
    __syncthreads();
    if (t / 32 == 2)
        ptx::tcgen05_dealloc(ptx::cta_group_1, sums, uint32_t{ROWS});
}
