// expect: out-of-bounds
__global__ void shift(const int* in, int* out) {
    const int i = threadIdx.x;
    out[i] = in[i - 3];
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 32 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemset(in, 0, 32 * sizeof(int));
    shift<<<1, 32>>>(in, out);
    return cudaDeviceSynchronize();
}
