// source: HeCBench#253, a tile of surfels is loaded while other threads still render the previous one
// cause: A thread loads its part of the next tile while other threads may still read the current tile.
// rule: write-after-read-race
#include <cstdio>
#include <vector>

constexpr int tile = 64;

struct Surfel {
    float x, weight;
};

__global__ void render(const Surfel* surfels, int n, float* image) {
    __shared__ Surfel cache[tile];
    float sum = 0;
    for (int base = 0; base < n; base += tile) {
        cache[threadIdx.x] = surfels[base + threadIdx.x]; // <-- cause
        __syncthreads();
        for (int s = 0; s < tile; ++s)
            sum += cache[s].weight * (cache[s].x > threadIdx.x ? 1.0f : 2.0f); // <-- cause
    }
    image[threadIdx.x] = sum;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    constexpr int n = 4 * tile;
    Surfel host[n], *surfels;
    float *image, result[tile];
    for (int i = 0; i < n; ++i)
        host[i] = {float(i % 50), float(i % 7)};
    cudaMalloc(&surfels, sizeof host);
    cudaMalloc(&image, sizeof result);
    cudaMemcpy(surfels, host, sizeof host, cudaMemcpyHostToDevice);
    render<<<1, tile>>>(surfels, n, image);
    cudaMemcpy(result, image, sizeof result, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int t = 0; t < tile; ++t) {
        float sum = 0;
        for (const Surfel& s : host)
            sum += s.weight * (s.x > t ? 1.0f : 2.0f);
        wrong += result[t] != sum;
    }
    return verdict(wrong);
}
