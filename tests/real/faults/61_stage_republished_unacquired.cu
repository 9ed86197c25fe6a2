// source: TIRx-kernels#53, a single-stage state buffer is published again without acquiring its empty barrier
// cause: The producer refills the buffer without waiting for the phase of its empty barrier, so the consumers may
//     still read it.
// rule: refill-while-read
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <vector>

namespace ptx = cuda::ptx;

constexpr int length = 128, chunks = 5;

__device__ void wait(uint64_t* bar, int parity) {
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {
    }
}

// Warp 0 loads the states of the chunks into one buffer; warps 1 to 4 add them up, decaying.
__global__ void decay(const int* states, int* out) {
    __shared__ alignas(128) int state[length];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, length);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int c = 0; c < chunks && threadIdx.x == 0; ++c) {
            if (c > 0)
                wait(&full, (c - 1) & 1);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof state);
            ptx::cp_async_bulk(ptx::space_cluster, // <-- cause
                               ptx::space_global, state, states + c * length, sizeof state, &full);
        }
        return;
    }
    const int i = threadIdx.x - 32;
    int sum = 0;
    for (int c = 0; c < chunks; ++c) {
        wait(&full, c & 1);
        sum = sum / 2 + state[length - 1 - i]; // <-- cause
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive(&empty);
    }
    out[i] = sum;
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
    const std::vector<int> in = numbers(chunks * length);
    int* out = to_device(std::vector<int>(length));
    decay<<<1, 32 + length>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, length);
    int wrong = 0;
    for (int i = 0; i < length; ++i) {
        int sum = 0;
        for (int c = 0; c < chunks; ++c)
            sum = sum / 2 + in[c * length + length - 1 - i];
        wrong += result[i] != sum;
    }
    return verdict(wrong);
}
