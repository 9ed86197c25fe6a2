// Two kernels side by side take numbers from one counter, each number once.
__device__ int next, taken[256];

__global__ void take() {
    taken[atomicAdd(&next, 1)] = blockIdx.x;
}

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    take<<<2, 64, 0, first>>>();
    take<<<2, 64, 0, second>>>();
    return cudaDeviceSynchronize();
}
