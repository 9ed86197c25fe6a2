// Frees, from another stream, what asynchronous copies still read.
__global__ void still_copies(const int* in, volatile int* flag, int* out) {
    __shared__ alignas(16) int tile[128];
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[4 * threadIdx.x]));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + 4 * threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    while (*flag == 0)
        __nanosleep(100);
    asm volatile("cp.async.wait_all;" ::: "memory");
    printf("%d", tile[4 * threadIdx.x]);
}
static void frees_under_copies(const float* in, float* out, int n) {
    int *memory = nullptr, *flag = nullptr;
    cudaMalloc(&memory, 1 << 20);
    cudaMallocHost(&flag, 4);
    *static_cast<volatile int*>(flag) = 0;
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    still_copies<<<1, 32, 0, given>>>(memory, flag, memory + 1024);
    cudaStreamQuery(given);
    cudaFreeAsync(memory, other);
    cudaStreamSynchronize(other);
    *static_cast<volatile int*>(flag) = 1;
    cudaDeviceSynchronize();
}
