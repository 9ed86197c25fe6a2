// source: popsift#82, a histogram in shared memory is cleared and incremented without a barrier in between
// cause: A thread adds to a bin before the thread that clears the bin may have done so.
// rule: read-after-write-race|write-after-write-race|write-after-read-race
#include <cstdio>
#include <vector>

constexpr int bins = 36, threads = 64;

__global__ void orientations(const float* angle, int* out) {
    __shared__ int hist[bins];
    for (int i = threadIdx.x; i < bins; i += threads)
        hist[i] = 0; // <-- cause
    for (int i = threadIdx.x; i < 4 * threads; i += threads)
        atomicAdd(&hist[int(angle[i] / 10) % bins], 1); // <-- cause
    __syncthreads();
    if (threadIdx.x < bins)
        out[threadIdx.x] = hist[threadIdx.x];
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
    float host[4 * threads], *angle;
    int expected[bins] = {}, wrong = 0;
    for (int i = 0; i < 4 * threads; ++i)
        ++expected[int((host[i] = i * 97 % 360) / 10)];
    cudaMalloc(&angle, sizeof host);
    cudaMemcpy(angle, host, sizeof host, cudaMemcpyHostToDevice);
    int* out = to_device(std::vector<int>(bins));
    orientations<<<1, threads>>>(angle, out);
    const std::vector<int> result = to_host(out, bins);
    for (int b = 0; b < bins; ++b)
        wrong += result[b] != expected[b];
    return verdict(wrong);
}
