// Frees twice, in the middle, and what belongs to somebody else.
static void frees_what_is_none(const float* in, float* out, int n) {
    char *memory = nullptr, *again = nullptr;
    cudaMalloc(&memory, 4096);
    cudaFree(memory + 16);
    cudaFreeAsync(memory + 256, given);
    cudaFree(memory);
    cudaFree(memory);
    cudaFreeAsync(memory, given);
    cudaFreeAsync(const_cast<float*>(in), given);
    cudaFree(reinterpret_cast<void*>(0x555555554000));
    cudaFreeHost(const_cast<float*>(in));
    cudaFreeHost(&memory);
    cudaMalloc(&again, 4096);
    cudaMemset(memory, 1, 4096);
    cudaMemcpy(again, memory, 4096, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
}
