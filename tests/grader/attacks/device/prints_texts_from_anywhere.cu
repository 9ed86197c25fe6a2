// %s with numbers for pointers.
__global__ void prints_anywhere(const float* in) {
    for (unsigned long long at : {0ull, 1ull, 0x7fffffffffffull, 0x555555554000ull, ~0ull, (unsigned long long)in + (1ull << 40)})
        printf("%s", reinterpret_cast<const char*>(at));
}
static void prints_texts_from_anywhere(const float* in, float* out, int n) {
    prints_anywhere<<<1, 1, 0, given>>>(in);
    cudaDeviceSynchronize();
}
