// The flag is only volatile: seeing it orders nothing.
__device__ int data[64], out[64];
__device__ volatile int ready;

__global__ void produce() {
    data[threadIdx.x] = threadIdx.x; // other
    __syncthreads();
    if (threadIdx.x == 0)
        ready = 1;
}
__global__ void consume() {
    if (threadIdx.x == 0)
        while (ready == 0) {
        }
    __syncthreads();
    out[threadIdx.x] = data[63 - threadIdx.x]; // error: stream-race
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    produce<<<1, 64, 0, first>>>(); // other
    consume<<<1, 64, 0, second>>>(); // other
    return cudaDeviceSynchronize();
}
