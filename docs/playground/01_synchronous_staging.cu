// The block stages a tile in shared memory and writes it back in reverse.
constexpr int threads = THREADS;

__global__ void reverse(const float* in, float* out, int tiles) {
    __shared__ float tile[threads];
    const int t = threadIdx.x;
    for (int k = 0; k < tiles; ++k) {
        tile[t] = in[k * threads + t];
#if FIRST == block
        __syncthreads(); // the tile is complete
#elif FIRST == warp
        __syncwarp();
#endif
        out[k * threads + t] = tile[threads - 1 - t];
#if SECOND == block
        __syncthreads(); // everybody has read it
#elif SECOND == warp
        __syncwarp();
#endif
    }
}
