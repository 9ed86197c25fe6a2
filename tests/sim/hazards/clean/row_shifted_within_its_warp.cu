// As row_shifted_past_its_warp, but the last lane of each warp reads nothing.
__device__ int in[128], out[128];

__global__ void shift() {
    __shared__ alignas(128) int tile[128];
    const int i = threadIdx.x;
    tile[i] = in[i];
    __syncwarp();
    if (i % 32 < 31)
        out[i] = tile[i + 1];
}

int main() {
    shift<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
