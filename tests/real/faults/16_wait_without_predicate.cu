// source: Fuser#4524, MBarrierWaitParity lacks the predicate that the TMA load has, so the wait for the last rows never
//     ends
// cause: The producer skips rows outside the matrix, but the consumer waits for them too: that wait never ends.
// rule: deadlock
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int row = 128, rows_per_block = 4, rows = 6;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
}

__device__ void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ void arrive_expect(uint64_t* bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem(bar)), "r"(bytes) : "memory");
}

__device__ void wait(uint64_t* bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(smem(bar)), "r"(parity)
                     : "memory");
}

__device__ void load(void* to, const void* from, unsigned bytes, uint64_t* bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(smem(to)),
                 "l"(from), "r"(bytes), "r"(smem(bar))
                 : "memory");
}

__global__ void row_sums(const int* in, int* out) {
    __shared__ alignas(128) int buffer[rows_per_block][row];
    __shared__ uint64_t full[rows_per_block];
    if (threadIdx.x == 0) {
        for (auto& bar : full)
            init(&bar, 1);
        fence_init();
    }
    __syncthreads();
    for (int r = 0; r < rows_per_block; ++r) {
        const int y = blockIdx.x * rows_per_block + r;
        if (threadIdx.x == 32 && y < rows) {
            arrive_expect(&full[r], sizeof buffer[0]);
            load(buffer[r], in + y * row, sizeof buffer[0], &full[r]);
        }
        if (threadIdx.x < 32) {
            wait(&full[r], 0); // <-- cause
            int sum = 0;
            for (int i = threadIdx.x; i < row && y < rows; i += 32)
                sum += buffer[r][i];
            sum = __reduce_add_sync(~0u, sum);
            if (threadIdx.x == 0 && y < rows)
                out[y] = sum;
        }
    }
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
}

std::vector<int> numbers(int n) {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i)
        values[i] = i * 7 % 1009;
    return values;
}

std::vector<int> to_host(const int* p, int n) {
    std::vector<int> values(n);
    cudaMemcpy(values.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost);
    return values;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    const std::vector<int> in = numbers(rows * row);
    int* out = to_device(std::vector<int>(rows));
    row_sums<<<2, 64>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, rows);
    int wrong = 0;
    for (int y = 0; y < rows; ++y) {
        int sum = 0;
        for (int i = 0; i < row; ++i)
            sum += in[y * row + i];
        wrong += result[y] != sum;
    }
    return verdict(wrong);
}
