// Each side of a pending copy is freed, in every order of streams.
static void frees_under_host_copies(const float* in, float* out, int n) {
    cudaStream_t streams[2];
    for (auto& one : streams)
        cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    for (int order = 0; order < 8; ++order) {
        char *device = nullptr, *host = nullptr, *other = nullptr;
        cudaMallocAsync(&device, 1 << 20, streams[0]);
        cudaMalloc(&other, 1 << 20);
        cudaMallocHost(&host, 1 << 20);
        cudaMemcpyAsync(device, host, 1 << 20, cudaMemcpyHostToDevice, streams[order & 1]);
        cudaMemcpyAsync(other, device, 1 << 20, cudaMemcpyDeviceToDevice, streams[order >> 1 & 1]);
        cudaMemsetAsync(device, 1, 1 << 20, streams[0]);
        if (order & 4)
            cudaFreeHost(host);
        cudaFreeAsync(device, streams[order >> 1 & 1]);
        cudaFreeAsync(other, streams[order & 1]);
        cudaMemcpyAsync(device, other, 1 << 20, cudaMemcpyDefault, streams[1]);
        if (!(order & 4))
            cudaFreeHost(host);
    }
    cudaDeviceSynchronize();
}
