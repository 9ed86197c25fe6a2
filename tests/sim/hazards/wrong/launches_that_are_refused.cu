// Launches that no device can carry out, and whose errors nobody looks at. The kernels never run.
// says: stage is refused
// says: cudaErrorInvalidValue: a block would use 65536 bytes of shared memory
// says: raise cudaFuncAttributeMaxDynamicSharedMemorySize
// says: the program calls neither before it ends
#include <cooperative_groups.h>

__global__ void stage(int* data) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[threadIdx.x ^ 1];
}

__global__ void __launch_bounds__(128) bounded(int* data) {
    data[threadIdx.x] = 1;
}

__global__ void __cluster_dims__(2) paired(int* data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void whole_grid(int* data) {
    cooperative_groups::this_grid().sync();
    data[threadIdx.x] = 1;
}

int main() {
    int* data;
    cudaMalloc(&data, 4096);
    cudaMemset(data, 0, 4096);
    stage<<<1, 1024, 64 << 10>>>(data); // error 1: failed-call
    stage<<<1, 2048, 4096>>>(data);     // error 2: failed-call
    stage<<<0, 32, 128>>>(data);        // error 3: failed-call
    bounded<<<1, 256>>>(data);          // error 4: failed-call
    paired<<<3, 32>>>(data);            // error 5: failed-call
    void* arguments[] = {&data};
    cudaLaunchCooperativeKernel(whole_grid, dim3(4096), dim3(1024), arguments, 0, nullptr); // error 6: failed-call
    cudaFuncSetAttribute(stage, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);      // error 7: failed-call
    return cudaDeviceSynchronize(); // says nothing of a launch that was refused
}

/*
== clean/launches_within_their_limits
The same launches, within the limits.

-    stage<<<1, 1024, 64 << 10>>>(data);
-    stage<<<1, 2048, 4096>>>(data);
-    stage<<<0, 32, 128>>>(data);
-    bounded<<<1, 256>>>(data);
-    paired<<<3, 32>>>(data);
+    cudaFuncSetAttribute(stage, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
+    stage<<<1, 1024, 64 << 10>>>(data);
+    stage<<<1, 32, 128>>>(data);
+    bounded<<<1, 128>>>(data);
+    paired<<<4, 32>>>(data);
     void* arguments[] = {&data};
-    cudaLaunchCooperativeKernel(whole_grid, dim3(4096), dim3(1024), arguments, 0, nullptr);
-    cudaFuncSetAttribute(stage, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
+    cudaLaunchCooperativeKernel(whole_grid, dim3(1), dim3(1024), arguments, 0, nullptr);
*/
