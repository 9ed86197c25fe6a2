static void never_ends_a_graph(const float* in, float* out, int n) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    nothing<<<1, 1, 0, stream>>>();
    cudaMemsetAsync(out, 0, n * sizeof(float), stream);
}
