// expect: uninitialised-read
// No member has been written.
struct Pair {
    char c;
    int n;
};
__device__ Pair out[64];

__global__ void copy() {
    __shared__ Pair tile[64];
    const int i = threadIdx.x;
    if (i >= 64) {
        tile[i].c = 'a';
        tile[i].n = i;
    }
    __syncthreads();
    *reinterpret_cast<long long*>(&out[i]) = *reinterpret_cast<const long long*>(&tile[63 - i]);
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
