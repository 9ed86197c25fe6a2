// The legacy default stream waits for the blocking streams and they for it.
__device__ int data[64], out[64];

__global__ void fill() {
    data[threadIdx.x] = threadIdx.x;
}
__global__ void take() {
    out[threadIdx.x] = data[63 - threadIdx.x];
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    fill<<<1, 64, 0, first>>>();
    take<<<1, 64>>>();
    fill<<<1, 64, 0, second>>>();
    return cudaDeviceSynchronize();
}
