// Kernels of one stream run one after the other; so do copies and sets.
__device__ int out[256];

__global__ void fill(int* data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}
__global__ void take(const int* data) {
    out[threadIdx.x] = data[255 - threadIdx.x];
}

int main() {
    int* data;
    cudaMalloc(&data, 256 * sizeof(int));
    fill<<<4, 64>>>(data);
    take<<<1, 256>>>(data);
    cudaMemset(data, 0, 256 * sizeof(int));
    take<<<1, 256>>>(data);
    return cudaFree(data);
}
