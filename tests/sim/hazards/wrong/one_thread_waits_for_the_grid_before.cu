// The other threads do not know of the wait of thread 0.
__device__ int data[64], out[64];

__global__ void fill() {
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x; // other
}

__global__ void reverse() {
    if (threadIdx.x == 0)
        cudaGridDependencySynchronize();
    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait
}

template <class... Parameters>
void launch_early(void (*kernel)(Parameters...)) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = 64;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel);
}

int main() {
    fill<<<1, 64>>>();
    launch_early(reverse);
    return cudaDeviceSynchronize();
}

/*
== clean/dependent_launch_without_trigger
The first kernel does not trigger its dependents, so they start when all its blocks have ended.

-    cudaTriggerProgrammaticLaunchCompletion();

-    if (threadIdx.x == 0)
-        cudaGridDependencySynchronize();

== clean/one_thread_waits_for_the_grid_before
One thread waits for the kernel before; a barrier orders the others after it.

         cudaGridDependencySynchronize();
+    __syncthreads();
*/
