// expect: missing-barrier-after-wait
// expect: refill-while-read
// The pipeline of thread scope waits for the copies of one thread; it does not keep other threads from the next round.
#include <cuda/pipeline>

__device__ int in[8][64], out[8][64];

__global__ void stages() {
    __shared__ int tile[2][64];
    const int i = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[0][i], &in[0][i], sizeof(int), pipe);
    pipe.producer_commit();
    for (int t = 0; t < 8; ++t) {
        pipe.producer_acquire();
        if (t + 1 < 8)
            cuda::memcpy_async(&tile[(t + 1) % 2][i], &in[t + 1][i], sizeof(int), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        out[t][i] = tile[t % 2][63 - i];
        pipe.consumer_release();
    }
}

int main() {
    stages<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/pipeline_thread_scope
cuda::pipeline of thread scope; its destructor at the end.

-        out[t][i] = tile[t % 2][63 - i];
+        out[t][i] = tile[t % 2][i];
*/
