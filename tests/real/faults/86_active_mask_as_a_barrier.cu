// source: flashdreams#65 (review), __activemask() says which lanes are there just now and not which have a fragment
// cause: Lanes that __activemask() does not name have no order with the others, so a lane may read the depth before
//     they lower it.
// rule: read-after-write-race|member-mask
#include <cstdio>
#include <vector>

constexpr int lanes = 32, pixels = 4;

__global__ void raster(const int* depth_of, int* colour, int* near) {
    __shared__ int depth[pixels];
    const int lane = threadIdx.x, pixel = lane % pixels;
    if (lane < pixels)
        depth[lane] = 1 << 20;
    __syncwarp();
    const int mine = depth_of[lane];
    if (mine >= 0) {
        const unsigned here = __activemask();
        atomicMin(&depth[pixel], mine); // <-- cause
        __syncwarp(here);               // <-- cause
        if (depth[pixel] == mine)       // <-- cause
            colour[pixel] = lane;
    }
    __syncwarp();
    if (lane < pixels)
        near[lane] = depth[lane];
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
    std::vector<int> depths(lanes);
    for (int i = 0; i < lanes; ++i)
        depths[i] = i % 5 == 0 ? -1 : 1000 - i * 31 % 997;
    int *colour = to_device(std::vector<int>(pixels, -1)), *near = to_device(std::vector<int>(pixels));
    raster<<<1, lanes>>>(to_device(depths), colour, near);
    const std::vector<int> colours = to_host(colour, pixels), nears = to_host(near, pixels);
    int wrong = 0;
    for (int p = 0; p < pixels; ++p) {
        int best = 1 << 20, owner = -1;
        for (int i = p; i < lanes; i += pixels)
            if (depths[i] >= 0 && depths[i] < best)
                best = depths[owner = i];
        wrong += (colours[p] != owner) + (nears[p] != best);
    }
    return verdict(wrong);
}
