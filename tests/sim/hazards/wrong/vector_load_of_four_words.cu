// The fourth word is another thread's, and this thread uses it.
__global__ void fourth_word_is_anothers(int* out, bool all) {
    __shared__ alignas(16) int words[8];
    if (threadIdx.x < 8)
        words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        words[3] = 100; // other
    if (threadIdx.x == 32) {
        const int4 v = *reinterpret_cast<const int4*>(words); // error: read-after-write-race
        out[0] = v.x + v.y + v.z;
        if (all)
            out[1] = v.w;
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 2 * sizeof(int));
    fourth_word_is_anothers<<<1, 64>>>(out, true);
    return cudaDeviceSynchronize();
}
