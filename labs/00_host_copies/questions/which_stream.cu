__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

__global__ void add(const int* data, int* sum) {
    atomicAdd(sum, data[threadIdx.x]);
}

int main() {
    int *data, *sum;
    cudaStream_t first, second, third;
    cudaEvent_t filled;
    cudaMalloc(&data, 64 * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
    cudaEventCreate(&filled);

    fill<<<1, 64, 0, first>>>(data);
    cudaEventRecord(filled, STREAM);
    cudaStreamWaitEvent(second, filled);
    add<<<1, 64, 0, second>>>(data, sum);
    cudaDeviceSynchronize();
}
