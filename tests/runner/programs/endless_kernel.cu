__global__ void kernel(volatile int* flag) {
    while (*flag == 0) {
    }
}

int main() {
    int* flag = nullptr;
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    kernel<<<1, 64>>>(flag);
    return cudaDeviceSynchronize() != cudaSuccess;
}
