// The kernel between the two waits for the first before it triggers the third, which may therefore use the result.
__device__ int data[64], out[64];

__global__ void fill() {
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x;
}

__device__ int other[64];

__global__ void independent() {
    cudaGridDependencySynchronize();
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
    launch_early(reverse);
    return cudaDeviceSynchronize();
}
