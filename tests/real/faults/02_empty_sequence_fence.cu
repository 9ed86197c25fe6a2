// source: FlashKDA#24, a state zeroed by ordinary stores goes to a TMA store unfenced when a sequence is empty
// cause: For an empty sequence the loop with the proxy fence never runs, so nothing orders the zeroing stores before
//     the bulk store.
// rule: missing-proxy-fence
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int length = 256, sequences = 3, threads = 64;

__device__ unsigned smem(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void store(void* to, const void* from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(smem(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void wait_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__device__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// The state of a sequence is the sum of its tokens; a sequence without tokens has a state of zeros.
__global__ void scan(const int* tokens, const int* begins, int* states) {
    __shared__ alignas(128) int state[length];
    for (int i = threadIdx.x; i < length; i += threads)
        state[i] = 0; // <-- cause
    for (int t = begins[blockIdx.x]; t < begins[blockIdx.x + 1]; ++t) {
        for (int i = threadIdx.x; i < length; i += threads)
            state[i] += tokens[t * length + i];
        fence_async();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        store(states + blockIdx.x * length, state, sizeof state); // <-- cause
        wait_read();
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
    const std::vector<int> in = numbers(5 * length), begins{0, 2, 2, 5};
    int* states = to_device(std::vector<int>(sequences * length, -1));
    scan<<<sequences, threads>>>(to_device(in), to_device(begins), states);
    const std::vector<int> result = to_host(states, sequences * length);
    int wrong = 0;
    for (int s = 0; s < sequences; ++s)
        for (int i = 0; i < length; ++i) {
            int sum = 0;
            for (int t = begins[s]; t < begins[s + 1]; ++t)
                sum += in[t * length + i];
            wrong += result[s * length + i] != sum;
        }
    return verdict(wrong);
}
