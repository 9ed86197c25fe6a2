// Grids, blocks and shared memory beyond every limit.
static void launches_too_much(const float* in, float* out, int n) {
    nothing<<<dim3(2147483647, 65535, 65535), dim3(1024, 1024, 64), 1 << 30>>>();
    nothing<<<0, 0>>>();
    nothing<<<dim3(1, 1, 70000), 1>>>();
    nothing<<<1, 1, static_cast<size_t>(-1)>>>();
}
