// A host function fills pageable memory, and the copy behind it in the stream takes its bytes before the function runs.
__device__ int data[64], out[64];
int table[64];

void fill(void* to) {
    for (int i = 0; i < 64; ++i)
        static_cast<int*>(to)[i] = i;
}

__global__ void take() {
    out[threadIdx.x] = data[threadIdx.x];
}

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int* const host = table;
    cudaLaunchHostFunc(stream, fill, host); // other
    cudaMemcpyToSymbolAsync(data, host, sizeof data, 0, cudaMemcpyHostToDevice, stream); // error: source-filled-too-late
    take<<<1, 64, 0, stream>>>();
    return cudaStreamSynchronize(stream);
}

/*
== clean/host_function_before_a_pinned_copy
A copy from pinned memory reads its source when its turn comes.

-    int* const host = table;
+    int* host;
+    cudaMallocHost(&host, sizeof table);

== clean/host_function_is_waited_for
The host waits for the function before the copy.

     cudaLaunchHostFunc(stream, fill, host);
+    cudaStreamSynchronize(stream);

== clean/host_function_fills_another_buffer
The copy does not take what the function writes.

-int table[64];
+int table[64], other[64];

-    cudaLaunchHostFunc(stream, fill, host);
+    cudaLaunchHostFunc(stream, fill, other);
*/
