// Addresses of one space in another, and of the host on the device.
__global__ void mixed(float* out, const int* host) {
    __shared__ float tile[32];
    float mine[4];
    const auto far = [](const void* p, long by) { return reinterpret_cast<float*>(reinterpret_cast<long>(p) + by); };
    for (long by = 4; by < 1l << 24; by *= 4)
        *far(tile, by) = *far(mine, -by) = 1;
    asm volatile("st.shared.f32 [%0], 0f00000000;" ::"r"(0x7fffff00) : "memory");
    out[threadIdx.x] = static_cast<float>(*host) + tile[31 - threadIdx.x];
}
static void mixes_address_spaces(const float* in, float* out, int n) {
    mixed<<<1, 32, 0, given>>>(out, &n);
    cudaDeviceSynchronize();
}
