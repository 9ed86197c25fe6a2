// A function that a stream calls must not call CUDA: it may deadlock. Here it also looks at the error; and a question
// is a call, too.
#include <cstdio>

static void refill(void* data) {
    if (cudaMemset(data, 0, 64)) // error 1: failed-call
        std::puts("not done");
}

static void CUDART_CB ask(cudaStream_t stream, cudaError_t, void*) {
    if (cudaStreamQuery(stream)) // error 2: failed-call
        std::puts("not answered");
}

int main() {
    int* data;
    cudaMalloc(&data, 64);
    cudaLaunchHostFunc(nullptr, refill, data);
    cudaStreamAddCallback(nullptr, ask, nullptr, 0);
    return cudaDeviceSynchronize();
}

/*
== clean/host_function_without_cuda_calls
The functions only print.

-    if (cudaMemset(data, 0, 64))
+    if (data)
         std::puts("not done");

-    if (cudaStreamQuery(stream))
+    if (stream)
         std::puts("not answered");
*/
