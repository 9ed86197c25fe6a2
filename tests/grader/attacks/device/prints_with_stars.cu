// Widths and precisions from the arguments.
__global__ void prints_stars() {
    printf("%*d|%-*d|%.*f|%*.*s|\n", 2147483647, 1, -2147483647 - 1, 2, 2147483647, 1.0, 1 << 30, 1 << 30, "x");
    printf("%0*lld%+*lld% *d\n", 1 << 30, 1ll, 1 << 30, 2ll, 1 << 30, 3);
}
static void prints_with_stars(const float* in, float* out, int n) {
    prints_stars<<<1, 32, 0, given>>>();
    cudaDeviceSynchronize();
}
