// source: cudnn-frontend#993, a mask slot released once per warp although all lanes read it, so masks turned to zero
// cause: One lane releases the slot for its whole warp and nothing orders the other lanes' reads before that arrival.
// rule: refill-while-read
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int words = 128, tiles = 6, readers = 128;

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

// One warp loads the mask of each tile into a single slot; the other warps count its bits.
__global__ void count_bits(const int* masks, int* out) {
    __shared__ alignas(128) int slot[words];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, readers / 32);
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x >= readers) {
        for (int t = 0; t < tiles && threadIdx.x == readers; ++t) {
            wait(&empty, (t & 1) ^ 1);
            arrive_expect(&full, sizeof slot);
            load(slot, masks + t * words, sizeof slot, &full); // <-- cause
        }
        return;
    }
    int bits = 0;
    for (int t = 0; t < tiles; ++t) {
        wait(&full, t & 1);
        bits += __popc(slot[(threadIdx.x + t) % words]); // <-- cause
        fence_async();
        if (threadIdx.x % 32 == 0)
            arrive(&empty); // <-- cause
    }
    out[threadIdx.x] = bits;
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
    const std::vector<int> in = numbers(tiles * words);
    int* out = to_device(std::vector<int>(readers));
    count_bits<<<1, readers + 32>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, readers);
    int wrong = 0;
    for (int i = 0; i < readers; ++i) {
        int bits = 0;
        for (int t = 0; t < tiles; ++t)
            bits += __builtin_popcount(in[t * words + (i + t) % words]);
        wrong += result[i] != bits;
    }
    return verdict(wrong);
}
