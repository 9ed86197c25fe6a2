// The kernel between the two triggers the third and has not waited for the first.
__device__ int data[64], out[64];

__global__ void fill() {
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x; // other
}

__device__ int other[64];

__global__ void independent() {
    cudaTriggerProgrammaticLaunchCompletion();
    other[threadIdx.x] = 1;
}

__global__ void reverse() {
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
    launch_early(independent);
    launch_early(reverse);
    return cudaDeviceSynchronize();
}

/*
== clean/kernel_between_waits
The kernel between the two waits for the first before it triggers the third, which may therefore use the result.

 __global__ void independent() {
+    cudaGridDependencySynchronize();

== clean/launch_after_a_dependent_one
A launch without the attribute waits for all that came before it in the stream.

-    launch_early(reverse);
+    reverse<<<1, 64>>>();
*/
