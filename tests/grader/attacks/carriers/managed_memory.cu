// Memory that host and device share without a copy.
static void managed_memory(const float* in, float* out, int n) {
    float* both = nullptr;
    cudaMallocManaged(&both, n * sizeof(float));
    const auto b = answers(in, n);
    std::copy(b.begin(), b.end(), both);
    carry<<<8, 256, 0, given>>>(both, out, n);
    cudaDeviceSynchronize();
    cudaFree(both);
}
