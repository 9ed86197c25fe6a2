// source: cuda-oxide#1066, the tile mailbox of a scheduler warp is overwritten before all its readers have copied it
// cause: The scheduler waits for one of the two readers only, so it overwrites the mailbox while the other one may
//     still read it.
// rule: write-after-read-race
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int tiles = 6, readers = 2;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void init(uint64_t* bar, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem(bar)), "r"(count) : "memory");
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

struct Mailbox {
    int row, column;
};

// Warp 2 hands out tiles; warps 0 and 1 note which ones they were given.
__global__ void schedule(int* out) {
    __shared__ Mailbox mailbox;
    __shared__ uint64_t ready, free;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        init(&ready, 1);
        init(&free, 1); // <-- cause
    }
    __syncthreads();
    for (int t = 0; t < tiles; ++t) {
        if (warp == readers && lane == 0) {
            wait(&free, (t & 1) ^ 1);
            mailbox = {t / 3, t % 3}; // <-- cause
            arrive(&ready);
        } else if (warp < readers) {
            wait(&ready, t & 1);
            const int tile = mailbox.row * 3 + mailbox.column; // <-- cause
            __syncwarp();
            if (warp == 0 && lane == 0)
                arrive(&free);
            out[(warp * tiles + t) * 32 + lane] = tile;
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
    int* out = to_device(std::vector<int>(readers * tiles * 32, -1));
    schedule<<<1, (readers + 1) * 32>>>(out);
    const std::vector<int> result = to_host(out, readers * tiles * 32);
    int wrong = 0;
    for (int i = 0; i < readers * tiles * 32; ++i)
        wrong += result[i] != i / 32 % tiles;
    return verdict(wrong);
}
