// Host functions run in stream order: the copy, or the kernel, behind one reads what it has written.
constexpr int size = 64;
static int* buffer;

static void fill(void*) {
    for (int i = 0; i < size; ++i)
        buffer[i] = 7 * i;
}
static void CUDART_CB refill(cudaStream_t, cudaError_t, void*) {
    fill(nullptr);
}
__global__ void increment(int* data) {
    data[threadIdx.x] += 1;
}

int main() {
    int* device;
    cudaStream_t stream;
    cudaMalloc(&device, size * sizeof(int));
    cudaMallocHost(&buffer, size * sizeof(int));
    cudaStreamCreate(&stream);
    cudaLaunchHostFunc(stream, fill, nullptr);
    cudaMemcpyAsync(device, buffer, size * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaStreamAddCallback(stream, refill, nullptr, 0);
    increment<<<1, size, 0, stream>>>(buffer);
    cudaLaunchHostFunc(stream, fill, nullptr);
    return cudaStreamSynchronize(stream);
}
