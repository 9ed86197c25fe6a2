// A format and a text without a final zero.
__global__ void prints_unending(char* memory, int bytes) {
    for (int i = threadIdx.x; i < bytes; i += blockDim.x)
        memory[i] = i % 2 ? 's' : '%';
    __syncthreads();
    if (threadIdx.x == 0)
        printf(memory, memory, memory, memory);
    if (threadIdx.x == 1)
        printf("%s", memory);
}
static void prints_without_an_end(const float* in, float* out, int n) {
    char* memory = nullptr;
    cudaMalloc(&memory, 1 << 16);
    prints_unending<<<1, 64, 0, given>>>(memory, 1 << 16);
    cudaDeviceSynchronize();
}
