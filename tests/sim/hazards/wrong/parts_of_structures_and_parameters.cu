// expect: read-after-write-race
// expect: uninitialised-read
// Both reports name the bytes: a member of a structure, and an element of a parameter.
struct Ring {
    float tile[2][64];
    int count[2];
};

__global__ void reverse(const float* values, float* result) {
    __shared__ Ring ring;
    const int i = threadIdx.x;
    ring.tile[1][i] = values[i];
    result[i] = ring.tile[1][63 - i];
}

int main() {
    float *values, *result;
    cudaMalloc(&values, 64 * sizeof(float));
    cudaMalloc(&result, 64 * sizeof(float));
    cudaMemset(values, 0, 48 * sizeof(float));
    reverse<<<1, 64>>>(values, result);
    return cudaDeviceSynchronize();
}
