// The third kernel waits for the second, which has not waited for the first.
// says: But that kernel has not waited for the one further back
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
    cudaGridDependencySynchronize();
    data[threadIdx.x] = numbers[63 - threadIdx.x]; // error: missing-dependency-wait
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
== clean/third_kernel_behind_one_that_waits
The second kernel is complete only after the first.

     numbers[threadIdx.x] = threadIdx.x;
+    cudaGridDependencySynchronize();

== clean/third_kernel_uses_the_second_only
What the first kernel uses is not touched.

-    data[threadIdx.x] = numbers[63 - threadIdx.x];
+    numbers[threadIdx.x] += 1;

== clean/third_kernel_launched_as_usual
An ordinary launch is ordered after everything before it.

-    launch_early(overwrite);
+    overwrite<<<1, 64>>>();

== clean/third_kernel_behind_one_launched_as_usual
The second kernel starts only when the first is complete.

-    launch_early(count);
+    count<<<1, 64>>>();

== clean/third_kernel_behind_one_without_a_trigger
The first kernel lets nobody start early.

 __global__ void read() {
-    cudaTriggerProgrammaticLaunchCompletion();

== wrong/fourth_kernel_overwrites
A third kernel that waits does not make up for the second.

-    sums[threadIdx.x] = data[63 - threadIdx.x] + 1;
+    sums[threadIdx.x] = data[63 - threadIdx.x] + 1; // other

 __global__ void overwrite() {
     cudaGridDependencySynchronize();
-    data[threadIdx.x] = numbers[63 - threadIdx.x];
+    data[threadIdx.x] = 1; // error: missing-dependency-wait
+}
+
+__global__ void wait_and_go_on() {
+    cudaTriggerProgrammaticLaunchCompletion();
+    cudaGridDependencySynchronize();

     launch_early(count);
+    launch_early(wait_and_go_on);
*/
