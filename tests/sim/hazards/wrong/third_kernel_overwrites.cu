// The third kernel overwrites what the first may still read: each lets the next one start, and nobody waits.
__device__ int data[64], sums[64], numbers[64];

__global__ void read() {
    cudaTriggerProgrammaticLaunchCompletion();
    sums[threadIdx.x] = data[63 - threadIdx.x] + 1; // other
}

__global__ void count() {
    cudaTriggerProgrammaticLaunchCompletion();
    numbers[threadIdx.x] = threadIdx.x;
}

__global__ void overwrite() {
    data[threadIdx.x] = 0; // error: missing-dependency-wait
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
    read<<<1, 64>>>();
    launch_early(count);
    launch_early(overwrite);
    return cudaDeviceSynchronize();
}

/*
== clean/third_kernel_waits
Its wait covers the kernels further back, too, although the second has not waited (measured on an H100).

 __global__ void overwrite() {
+    cudaGridDependencySynchronize();

== clean/third_kernel_launched_as_usual
An ordinary launch is ordered after everything before it.

-    launch_early(overwrite);
+    overwrite<<<1, 64>>>();

== clean/third_kernel_overwrites_what_nobody_uses
What the two kernels before it use is not touched.

-__device__ int data[64], sums[64], numbers[64];
+__device__ int data[64], sums[64], numbers[64], others[64];

-    data[threadIdx.x] = 0;
+    others[threadIdx.x] = 0;
*/
