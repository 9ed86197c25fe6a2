// Two streams take turns with the same memory; events order them.
__device__ int data[64], out[64];

__global__ void fill(int value) {
    data[threadIdx.x] = value;
}
__global__ void take() {
    out[threadIdx.x] += data[63 - threadIdx.x];
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t filled, taken;
    cudaEventCreate(&filled);
    cudaEventCreate(&taken);
    for (int round = 0; round < 3; ++round) {
        fill<<<1, 64, 0, first>>>(round);
        cudaEventRecord(filled, first);
        cudaStreamWaitEvent(second, filled);
        take<<<1, 64, 0, second>>>();
        cudaEventRecord(taken, second);
        cudaStreamWaitEvent(first, taken);
    }
    return cudaDeviceSynchronize();
}
