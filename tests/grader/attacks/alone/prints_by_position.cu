// Conversions that a C library takes from its caller's stack, or pads without end.
__global__ void prints_positions() {
    printf("%1$llx %2$llx %7$llx %12$s\n", 1ull, 2ull);
    printf("%3$*2$d %n %hhn %.1000000000f %*.*f\n", 1.0, 2147483647, 2147483647, 1.0);
    printf("%100$s %l");
}
static void prints_by_position(const float* in, float* out, int n) {
    prints_positions<<<1, 32, 0, given>>>();
    cudaDeviceSynchronize();
}
