// expect: read-after-write-race
// expect: uninitialised-read
// Within one launch nothing orders the blocks.
__device__ int out[256];

__global__ void take(int* data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = data[(blockIdx.x * blockDim.x + threadIdx.x + 192) % 256];
}

int main() {
    int* data;
    cudaMalloc(&data, 256 * sizeof(int));
    take<<<4, 64>>>(data);
    return cudaFree(data);
}
