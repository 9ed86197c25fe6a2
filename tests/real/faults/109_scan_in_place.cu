// source: HeCBench#255, a Hillis-Steele scan of a morphological filter reads and writes its array in place between two
//     barriers
// cause: In one step of the scan a thread writes its element while another thread may still read it.
// rule: read-after-write-race|write-after-read-race
#include <cstdio>
#include <vector>

constexpr int width = 64;

__global__ void running_minimum(const int* in, int* out) {
    __shared__ int row[width];
    const int t = threadIdx.x;
    row[t] = in[blockIdx.x * width + t];
    __syncthreads();
    for (int offset = 1; offset < width; offset *= 2) {
        if (t >= offset)
            row[t] = min(row[t - offset], row[t]); // <-- cause
        __syncthreads();
    }
    out[blockIdx.x * width + t] = row[t];
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
    std::vector<int> in = numbers(3 * width);
    for (int& value : in)
        value = (value * 31 + 500) % 1009;
    int* out = to_device(in);
    running_minimum<<<3, width>>>(to_device(in), out);
    const std::vector<int> result = to_host(out, 3 * width);
    int wrong = 0, least = 0;
    for (int i = 0; i < 3 * width; ++i) {
        least = i % width == 0 || in[i] < least ? in[i] : least;
        wrong += result[i] != least;
    }
    return verdict(wrong);
}
