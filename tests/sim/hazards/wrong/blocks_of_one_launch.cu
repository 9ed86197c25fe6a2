// Within one launch nothing orders the blocks.
__device__ int out[256];

__global__ void take(int* data) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = i; // other
    out[i] = data[(i + 192) % 256]; // error: read-after-write-race
}

int main() {
    int* data;
    cudaMalloc(&data, 256 * sizeof(int));
    take<<<4, 64>>>(data);
    return cudaFree(data);
}
