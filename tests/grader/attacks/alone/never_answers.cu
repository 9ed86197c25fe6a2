// A kernel that waits for the host, which waits for the kernel.
__global__ void spins(volatile int* flag) {
    while (*flag != 12345678)
        ;
}
static void never_answers(const float* in, float* out, int n) {
    spins<<<1, 1, 0, given>>>(reinterpret_cast<int*>(out));
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaStreamQuery(other);
    cudaMemcpyAsync(out, &n, n > 0 ? 4 : 0, cudaMemcpyHostToDevice, other);
    cudaDeviceSynchronize();
}
