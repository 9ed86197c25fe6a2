// Prefetches, advice and attachments order nothing and change nothing.
__global__ void twice(int* data) {
    data[threadIdx.x] *= 2;
}

int main() {
    constexpr int bytes = 64 * sizeof(int);
    int* data;
    cudaMallocManaged(&data, bytes);
    for (int i = 0; i < 64; ++i)
        data[i] = i;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamAttachMemAsync(stream, data, 0, cudaMemAttachSingle);
#if CUDART_VERSION >= 13000
    const cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
    cudaMemAdvise(data, bytes, cudaMemAdviseSetPreferredLocation, device);
    cudaMemPrefetchAsync(data, bytes, device, 0, stream);
    twice<<<1, 64, 0, stream>>>(data);
    cudaMemPrefetchAsync(data, bytes, host, 0, stream);
#else
    const int device = 0, host = cudaCpuDeviceId;
    cudaMemAdvise(data, bytes, cudaMemAdviseSetPreferredLocation, device);
    cudaMemPrefetchAsync(data, bytes, device, stream);
    twice<<<1, 64, 0, stream>>>(data);
    cudaMemPrefetchAsync(data, bytes, host, stream);
#endif
    return cudaStreamSynchronize(stream) + data[63] - 126;
}
