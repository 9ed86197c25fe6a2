// source: Fuser#5862, six mbarriers for eight independent loads, so that two warp groups meet on one barrier
// cause: With three stages both consumers share a barrier, and one of them waits for its second phase before the
//     first has completed: that wait returns at once.
// rule: early-phase|stale-phase-wait|missing-wait|read-before-completion
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int row = 64, rounds = 6, consumers = 2, rows_each = 2;
constexpr int stages = 3; // <-- cause

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

__device__ void arrive(uint64_t* bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem(bar)) : "memory");
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

__device__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Consumer warp w sums the rows 4 i + 2 w and 4 i + 2 w + 1 of each round i.
__global__ void sum_rows(const int* in, int* out) {
    __shared__ alignas(128) int ring[stages][row];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            init(&full[s], 1);
            init(&empty[s], 32);
        }
        fence_init();
    }
    __syncthreads();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == consumers) {
        for (int n = 0; n < rounds * consumers * rows_each && lane == 0; ++n) {
            wait(&empty[n % stages], (n / stages & 1) ^ 1);
            arrive_expect(&full[n % stages], sizeof ring[0]);
            load(ring[n % stages], in + n * row, sizeof ring[0], &full[n % stages]);
        }
        return;
    }
    int sum[2] = {};
    for (int i = 0; i < rounds; ++i)
        for (int r = 0; r < rows_each; ++r) {
            const int n = (i * consumers + warp) * rows_each + r;
            wait(&full[n % stages], n / stages & 1); // <-- cause
            sum[0] += ring[n % stages][lane];
            sum[1] += ring[n % stages][lane + 32];
            fence_async();
            arrive(&empty[n % stages]);
        }
    out[warp * row + lane] = sum[0];
    out[warp * row + lane + 32] = sum[1];
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
    const std::vector<int> in = numbers(rounds * consumers * rows_each * row);
    int* out = to_device(std::vector<int>(consumers * row));
    sum_rows<<<1, (consumers + 1) * 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, consumers * row);
    int wrong = 0;
    for (int i = 0; i < consumers * row; ++i) {
        int sum = 0;
        for (int n = 0; n < rounds * consumers * rows_each; ++n)
            if (n / rows_each % consumers == i / row)
                sum += in[n * row + i % row];
        wrong += result[i] != sum;
    }
    return verdict(wrong);
}
