// Memory that is freed twice or in its middle, pinned memory that is used after it was freed, and streams, events and
// pools that are used after they were destroyed.
// says: has been freed already
// says: the pinned memory has been freed
// says: the memory pool does not exist
// says: cudaErrorInvalidResourceHandle
#include <cstdlib>

int main() {
    int* data;
    cudaMalloc(&data, 256);
    cudaFree(data + 4); // error 1: failed-call
    cudaFree(data);     // other 2
    cudaFree(data);     // error 2: failed-call
    void* host = std::malloc(64);
    cudaFree(host);     // error 3: failed-call
    cudaFreeHost(host); // error 4: failed-call
    std::free(host);

    void* pinned;
    cudaMallocHost(&pinned, 64);
    cudaMalloc(&data, 64);
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t ready;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, data, pinned, 64, cudaMemcpyHostToDevice);
    cudaGraphInstantiate(&ready, graph);
    cudaFreeHost(pinned);                                 // other 5, other 6
    cudaMemcpy(data, pinned, 64, cudaMemcpyHostToDevice); // error 5: failed-call
    cudaGraphLaunch(ready, nullptr);                      // error 6: failed-call

    cudaMemPoolProps kind = {};
    kind.allocType = cudaMemAllocationTypePinned;
    kind.location = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t pool;
    cudaMemPoolCreate(&pool, &kind);
    cudaMemPoolDestroy(pool);
    cudaMallocFromPoolAsync(&data, 64, pool, nullptr); // error 7: failed-call

    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaStreamDestroy(stream);
    cudaEventDestroy(event);
    cudaStreamSynchronize(stream); // error 8: failed-call
    cudaEventRecord(event);        // error 9: failed-call
    cudaEventDestroy(event);       // error 10: failed-call
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

-    cudaFreeHost(pinned);
     cudaMemcpy(data, pinned, 64, cudaMemcpyHostToDevice);
     cudaGraphLaunch(ready, nullptr);
+    cudaStreamSynchronize(nullptr);
+    cudaFreeHost(pinned);

-    cudaMemPoolDestroy(pool);
     cudaMallocFromPoolAsync(&data, 64, pool, nullptr);
+    cudaMemPoolDestroy(pool);

     cudaEventCreate(&event);
+    cudaEventRecord(event);
+    cudaStreamSynchronize(stream);
     cudaStreamDestroy(stream);
     cudaEventDestroy(event);
-    cudaStreamSynchronize(stream);
-    cudaEventRecord(event);
-    cudaEventDestroy(event);
*/
