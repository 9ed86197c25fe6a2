// source: cuda-samples#52, an image is freed explicitly and again by its destructor
// cause: The buffer is freed a second time by the destructor of the image that owns it.
// rule: failed-call
#include <cstdio>
#include <vector>

constexpr int n = 64;

struct Image {
    int* pixels;
    Image() { cudaMalloc(&pixels, n * sizeof(int)); }
    Image(const Image&) = delete;
    ~Image() { cudaFree(pixels); } // <-- cause
};

__global__ void box_filter(const int* in, int* out) {
    const int i = threadIdx.x;
    out[i] = in[i] + in[(i + 1) % n];
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

int filter() {
    Image in, out;
    int host[n];
    for (int i = 0; i < n; ++i)
        host[i] = i;
    cudaMemcpy(in.pixels, host, sizeof host, cudaMemcpyHostToDevice);
    box_filter<<<1, n>>>(in.pixels, out.pixels);
    const std::vector<int> result = to_host(out.pixels, n);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += result[i] != i + (i + 1) % n;
    cudaFree(in.pixels);
    cudaFree(out.pixels);
    return wrong;
}

int main() {
    return verdict(filter());
}
