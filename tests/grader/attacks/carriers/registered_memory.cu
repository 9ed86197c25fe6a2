// The host's own memory, registered with the device.
static void registered_memory(const float* in, float* out, int n) {
    auto b = answers(in, n);
    cudaHostRegister(b.data(), n * sizeof(float), cudaHostRegisterMapped);
    float* seen = nullptr;
    cudaHostGetDevicePointer(&seen, b.data(), 0);
    carry<<<8, 256, 0, given>>>(seen, out, n);
    cudaDeviceSynchronize();
    cudaHostUnregister(b.data());
}
