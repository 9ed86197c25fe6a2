// Grids, blocks and shared memory of every wrong size.
static int launch_of_odd_shape = 1;
__global__ void any_shape() {}
static void launches_of_odd_shapes(const float* in, float* out, int n) {
    for (const dim3 grid : {dim3(0), dim3(~0u), dim3(1, 65536), dim3(65535, 65535, 65535)})
        for (const dim3 block : {dim3(0), dim3(1025), dim3(1024, 2), dim3(1, 1, 65), dim3(~0u, ~0u, ~0u)})
            for (const size_t shared : {size_t(0), size_t(1) << 20, ~size_t(0)})
                any_shape<<<grid, block, shared, given>>>();
    void* arguments[1] = {nullptr};
    cudaLaunchKernel(reinterpret_cast<const void*>(&any_shape), dim3(1), dim3(1), arguments, 0, given);
    cudaLaunchKernel(reinterpret_cast<const void*>(&launch_of_odd_shape), dim3(1), dim3(1), nullptr, 0, given);
    cudaLaunchKernel(nullptr, dim3(1), dim3(1), arguments, 0, reinterpret_cast<cudaStream_t>(0x1234));
    cudaDeviceSynchronize();
}
