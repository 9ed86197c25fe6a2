// A launch without the attribute waits for all that came before it in the stream.
__device__ int data[64], out[64];

__global__ void fill() {
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x;
}

__device__ int other[64];

__global__ void independent() {
    cudaTriggerProgrammaticLaunchCompletion();
    other[threadIdx.x] = 1;
}

__global__ void reverse() {
    out[threadIdx.x] = data[63 - threadIdx.x];
}

template <class... Parameters>
void launch_early(void (*kernel)(Parameters...)) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = 64;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel);
}

int main() {
    fill<<<1, 64>>>();
    launch_early(independent);
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
