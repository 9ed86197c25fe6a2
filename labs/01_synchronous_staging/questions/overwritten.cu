__device__ int in[4][64], out[4][64];

__global__ void reverse_rows() {
    __shared__ int row[64];
    for (int r = 0; r < 4; ++r) {
        const int value = in[r][threadIdx.x];
        row[threadIdx.x] = value;
        __syncthreads();
        const int mirrored = row[63 - threadIdx.x];
        out[r][threadIdx.x] = mirrored;
    }
}

int main() {
    reverse_rows<<<1, 64>>>();
    cudaDeviceSynchronize();
}
