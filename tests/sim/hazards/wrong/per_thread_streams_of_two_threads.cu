// The default streams of two threads are two streams.
#include <thread>

__device__ int data[64];

__global__ void fill() {
    data[threadIdx.x] = threadIdx.x + 1; // error: stream-race
}
__global__ void twice() {
    data[threadIdx.x] *= 2; // other
}

int main() {
    std::thread first([] {
        fill<<<1, 64, 0, cudaStreamPerThread>>>(); // other
    });
    first.join();
    twice<<<1, 64, 0, cudaStreamPerThread>>>(); // other
    return cudaDeviceSynchronize();
}

/*
== clean/legacy_stream_of_two_threads
The legacy default stream is the same for all threads, and the per-thread streams wait for it.

-        fill<<<1, 64, 0, cudaStreamPerThread>>>();
+        fill<<<1, 64>>>();

== clean/thread_waits_for_its_own_stream
The thread waits for its work before it ends.

         fill<<<1, 64, 0, cudaStreamPerThread>>>();
+        cudaStreamSynchronize(cudaStreamPerThread);
*/
