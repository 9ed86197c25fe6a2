// The last call of a function that a stream calls is optimised into a jump, which leaves no frame on the stack.
[[gnu::optimize("optimize-sibling-calls")]] static void clear(void* data) {
    cudaMemsetAsync(data, 0, 64, nullptr); // error: failed-call
}

int main() {
    int* data;
    cudaMalloc(&data, 64);
    cudaLaunchHostFunc(nullptr, clear, data);
    cudaStreamSynchronize(nullptr);
    return cudaDeviceSynchronize();
}

/*
== clean/host_work_by_the_host_itself
The host calls the function.

-    cudaLaunchHostFunc(nullptr, clear, data);
     cudaStreamSynchronize(nullptr);
+    clear(data);
*/
