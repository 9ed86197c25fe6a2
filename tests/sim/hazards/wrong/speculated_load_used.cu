// expect: read-after-write-race
// The same load, and another thread uses the value.
__device__ int in[64], out[64];

__global__ void speculate(int who) {
    __shared__ int part[64];
    const int i = threadIdx.x;
    int r = 0;
    part[i] = in[i];
    if (i >= who)
        r = part[who];
    out[i] = r;
}

int main() {
    speculate<<<1, 64>>>(5);
    return cudaDeviceSynchronize();
}
