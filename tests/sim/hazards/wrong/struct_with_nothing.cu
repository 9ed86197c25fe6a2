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
    // error: uninitialised-read
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/struct_with_padding
Copying a struct as a whole reads its padding, which nothing has written.

-    if (i >= 64) {

-    }
*/
