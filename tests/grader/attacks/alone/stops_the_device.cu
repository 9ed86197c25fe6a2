// A breakpoint, and a barrier that half of the threads have left.
__global__ void stops(float* out) {
    if (threadIdx.x < 32)
        asm volatile("exit;");
    asm volatile("bar.sync 15, 1024;");
    asm volatile("brkpt;");
    out[0] = 1;
}
static void stops_the_device(const float* in, float* out, int n) {
    stops<<<1, 64, 0, given>>>(out);
    cudaDeviceSynchronize();
}
