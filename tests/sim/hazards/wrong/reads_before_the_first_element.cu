// says: thread 0 of block 0 reads 4 bytes at …, 12 bytes before the allocation of 128 bytes
__global__ void shift(const int* in, int* out) {
    const int i = threadIdx.x;
    out[i] = in[i - 3]; // error: out-of-bounds
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 32 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemset(in, 0, 32 * sizeof(int));
    shift<<<1, 32>>>(in, out);
    return cudaDeviceSynchronize();
}
