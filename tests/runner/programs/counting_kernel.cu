// Ends, but not today.
__global__ void kernel(unsigned* out) {
    unsigned x = 1;
    for (unsigned long long i = 0; i < 1ull << 60; ++i)
        x = x * 3 + *out;
    *out = x;
}

int main() {
    unsigned* out = nullptr;
    cudaMalloc(&out, sizeof *out);
    cudaMemset(out, 0, sizeof *out);
    kernel<<<1, 1>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
