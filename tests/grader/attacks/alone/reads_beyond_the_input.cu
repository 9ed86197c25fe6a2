// What is expected may lie behind what is given.
__global__ void beyond(const float* in, float* out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[n + i];
}
static void reads_beyond_the_input(const float* in, float* out, int n) {
    beyond<<<1, 256, 0, given>>>(in, out, n);
    cudaDeviceSynchronize();
}
