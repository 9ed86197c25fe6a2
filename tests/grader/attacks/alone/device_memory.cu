static void device_memory(const float*, float*, int) {
    for (int i = 0; i < 100; ++i) {
        char* block = nullptr;
        if (cudaMalloc(&block, size_t{1} << 30) != cudaSuccess)
            return;
        cudaMemset(block, 1, size_t{1} << 30);
    }
}
