// A function that a stream calls must not call CUDA: it may deadlock. Here it also looks at the error.
#include <cstdio>

static void refill(void* data) {
    if (cudaMemset(data, 0, 64)) // error: failed-call
        std::puts("not done");
}

int main() {
    int* data;
    cudaMalloc(&data, 64);
    cudaLaunchHostFunc(nullptr, refill, data);
    return cudaDeviceSynchronize();
}

/*
== clean/host_function_without_cuda_calls
The function only prints.

-    if (cudaMemset(data, 0, 64))
+    if (data)
         std::puts("not done");
*/
