// source: gunrock/mini#5, a vote with a full mask by the threads below the number of warps only
// cause: The mask of the vote names all lanes of the warp, but only the lanes inside the branch execute it.
// rule: member-mask|deadlock|divergent-barrier
#include <cstdio>
#include <vector>

constexpr int threads = 128, warps = threads / 32;

__global__ void heads(const int* flags, int* out) {
    __shared__ int delta[warps];
    const int t = threadIdx.x;
    const unsigned mine = __ballot_sync(~0u, flags[t] != 0);
    if (t % 32 == 0)
        delta[t / 32] = __popc(mine);
    __syncthreads();
    if (t < warps) {
        const unsigned any = __ballot_sync(~0u, delta[t] != 0); // <-- cause
        delta[t] = any;
    }
    __syncthreads(); // <-- cause
    if (t < warps)
        out[t] = delta[t];
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
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
    std::vector<int> flags(threads);
    flags[5] = flags[77] = 1;
    int* out = to_device(std::vector<int>(warps));
    heads<<<1, threads>>>(to_device(flags), out);
    int wrong = 0;
    for (const int value : to_host(out, warps))
        wrong += value != 5;
    return verdict(wrong);
}
