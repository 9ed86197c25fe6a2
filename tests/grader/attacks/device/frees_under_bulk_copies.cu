// Memory is freed while bulk stores still read shared memory for it, or write to it.
__global__ void stores_in_bulk(char* memory, volatile int* flag) {
#if __CUDA_ARCH__ >= 900
    __shared__ alignas(16) char tile[4096];
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;" ::"l"(memory), "r"(at) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        while (*flag == 0)
            __nanosleep(100);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
#else
    memory[threadIdx.x] = *flag;
#endif
}
static void frees_under_bulk_copies(const float* in, float* out, int n) {
    char* memory = nullptr;
    int* flag = nullptr;
    cudaMalloc(&memory, 1 << 20);
    cudaMallocHost(&flag, 4);
    *static_cast<volatile int*>(flag) = 0;
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    stores_in_bulk<<<1, 32, 0, given>>>(memory, flag);
    cudaStreamQuery(given);
    cudaFreeAsync(memory, other);
    cudaStreamSynchronize(other);
    *static_cast<volatile int*>(flag) = 1;
    cudaDeviceSynchronize();
}
