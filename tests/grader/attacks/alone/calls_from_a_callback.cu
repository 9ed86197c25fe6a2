// CUDA forbids calls from there.
static void calls_from_a_callback(const float* in, float* out, int n) {
    cudaLaunchHostFunc(nullptr, [](void* data) { cudaMemset(data, 0, 4); cudaDeviceReset(); }, out);
    cudaDeviceSynchronize();
}
