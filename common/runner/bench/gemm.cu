// A matrix product on tensor cores: cp.async fills stages, ldmatrix reads them, mma.sync multiplies.
#include <cstdint>

constexpr uint32_t STAGES = 3, ROWS = 64, ROW = 64; // of a stage: 64 rows of 64 bytes of A, and as many of B
constexpr uint32_t STAGE = 2 * ROWS * ROW, CHUNK = 16, THREADS = 128;

__device__ uint32_t place(uint32_t row, uint32_t chunk) {
    return row * ROW + (chunk ^ (row / 2 % 4)) * CHUNK;
}

__device__ void load_matrices(uint32_t (&r)[4], uint32_t at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

extern "C" __global__ void bench(uint32_t* data, uint32_t n) {
    __shared__ alignas(128) unsigned char stages[STAGES][STAGE];
    const uint32_t t = threadIdx.x, lane = t % 32, m = t / 32 / 2 * 32, columns = t / 32 % 2 * 32;
    const auto shared = static_cast<uint32_t>(__cvta_generic_to_shared(stages));
    const auto* in = reinterpret_cast<const unsigned char*>(data) + blockIdx.x * 32 * STAGE;
    const auto fill = [&](uint32_t k) {
        for (uint32_t c = t; k < n && c < STAGE / CHUNK; c += THREADS)
            asm volatile(
                "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared + k % STAGES * STAGE + place(c / 4, c % 4)),
                "l"(in + k % 32 * STAGE + c * CHUNK)
                : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (uint32_t k = 0; k < STAGES - 1; ++k)
        fill(k);
    float sums[2][4][4] = {};
    for (uint32_t k = 0; k < n; ++k) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        fill(k + STAGES - 1);
        const uint32_t stage = shared + k % STAGES * STAGE;
#pragma unroll
        for (uint32_t step = 0; step < 2; ++step) {
            uint32_t a[2][4], b[2][4];
#pragma unroll
            for (uint32_t i = 0; i < 2; ++i) {
                load_matrices(a[i], stage + place(m + i * 16 + lane % 16, step * 2 + lane / 16));
                load_matrices(
                    b[i], stage + place(ROWS + columns + i * 16 + lane / 16 * 8 + lane % 8, step * 2 + lane / 8 % 2));
            }
#pragma unroll
            for (uint32_t i = 0; i < 2; ++i)
#pragma unroll
                for (uint32_t j = 0; j < 4; ++j)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]), "+f"(sums[i][j][2]), "+f"(sums[i][j][3])
                                 : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "r"(b[j / 2][j % 2 * 2]),
                                   "r"(b[j / 2][j % 2 * 2 + 1]));
        }
    }
    float sum = 0;
    for (auto& row : sums)
        for (auto& d : row)
            for (const float x : d)
                sum += x;
    data[8 * 32 * STAGE / 4 + blockIdx.x * THREADS + t] = __float_as_uint(sum);
}
