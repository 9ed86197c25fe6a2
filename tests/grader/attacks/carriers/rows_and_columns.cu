// A copy of rows.
static void rows_and_columns(const float* in, float* out, int n) {
    const auto b = answers(in, n);
    float* scratch = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&scratch, &pitch, n * sizeof(float), 1);
    cudaMemcpy2D(scratch, pitch, b.data(), n * sizeof(float), n * sizeof(float), 1, cudaMemcpyHostToDevice);
    carry<<<8, 256, 0, given>>>(scratch, out, n);
    cudaDeviceSynchronize();
    cudaFree(scratch);
}
