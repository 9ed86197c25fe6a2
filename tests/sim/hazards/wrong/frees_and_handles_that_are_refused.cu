// Memory that is freed twice or in its middle, and streams and events that are used after they were destroyed.
// says: has been freed already
// says: cudaErrorInvalidResourceHandle
#include <cstdlib>

int main() {
    int* data;
    cudaMalloc(&data, 256);
    cudaFree(data + 4); // error 1: failed-call
    cudaFree(data); // other 2
    cudaFree(data); // error 2: failed-call
    void* host = std::malloc(64);
    cudaFree(host);     // error 3: failed-call
    cudaFreeHost(host); // error 4: failed-call
    std::free(host);

    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaStreamDestroy(stream);
    cudaEventDestroy(event);
    cudaStreamSynchronize(stream); // error 5: failed-call
    cudaEventRecord(event);        // error 6: failed-call
    cudaEventDestroy(event);       // error 7: failed-call
    return 0;
}

/*
== clean/frees_and_handles_in_order
Each is used before it is destroyed, and freed once.

-    cudaFree(data + 4);
     cudaFree(data);
-    cudaFree(data);
     void* host = std::malloc(64);
-    cudaFree(host);
-    cudaFreeHost(host);
     std::free(host);

     cudaEventCreate(&event);
+    cudaEventRecord(event);
+    cudaStreamSynchronize(stream);
     cudaStreamDestroy(stream);
     cudaEventDestroy(event);
-    cudaStreamSynchronize(stream);
-    cudaEventRecord(event);
-    cudaEventDestroy(event);
*/
