// says: thread 31 of block 0 reads 16 bytes at in[31], extending 12 bytes beyond the end of the allocation of 500 bytes
__global__ void sum(const int4* in, int* out) {
    const int4 v = in[threadIdx.x]; // error: out-of-bounds
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

int main() {
    int4* in;
    int* out;
    cudaMalloc(&in, 125 * sizeof(int)); // the last vector is a quarter of one
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemset(in, 0, 125 * sizeof(int));
    sum<<<1, 32>>>(in, out);
    return cudaDeviceSynchronize();
}
