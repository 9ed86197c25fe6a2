// Memory that host and device share belongs to neither alone.
static void pinned_memory(const float*, float*, int) {
    for (int i = 0; i < 15; ++i) {
        char* block = nullptr;
        if (cudaMallocHost(&block, size_t{1} << 30) != cudaSuccess)
            return;
        for (size_t at = 0; at < size_t{1} << 30; at += 4096)
            block[at] = 1;
    }
}
