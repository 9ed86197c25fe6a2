// expect: write-after-write-race
// expect: read-after-write-race
// The threads of a warp store different values: that is an error, and so is the read.
__device__ int found, out[64];

__global__ void flag() {
    if (threadIdx.x < 32)
        found = threadIdx.x / 31;
    else
        out[threadIdx.x] = found;
}

int main() {
    flag<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
