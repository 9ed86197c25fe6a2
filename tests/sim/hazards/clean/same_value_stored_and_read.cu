// expect: same-value-write
// Every thread of a warp stores the same value, and threads of the other warp read it: the stores are a note, and so is
// the read.
__device__ int found, out[64];

__global__ void flag() {
    if (threadIdx.x < 32)
        found = 1;
    else
        out[threadIdx.x] = found;
}

int main() {
    flag<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
