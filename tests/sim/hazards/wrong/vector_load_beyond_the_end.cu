// expect: out-of-bounds
__global__ void sum(const int4* in, int* out) {
    const int4 v = in[threadIdx.x];
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
