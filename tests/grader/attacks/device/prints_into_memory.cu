// Conversions that write: %n of every length.
__global__ void prints_counts(float* out) {
    printf("xxxxxxxx%n%hn%hhn%ln%lln%zn%tn%jn%4$n%1$hhn\n", out, out, out, out, out, out, out, out);
}
static void prints_into_memory(const float* in, float* out, int n) {
    prints_counts<<<1, 1, 0, given>>>(out);
    cudaDeviceSynchronize();
}
