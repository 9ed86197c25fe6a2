// The kernel between the two triggers the third before it waits for the first: its wait orders only itself.
__device__ int data[64], out[64];

__global__ void fill() {
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x; // other
}

__device__ int twice[2][64];

__global__ void between() {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    twice[blockIdx.x][threadIdx.x] = 2 * data[threadIdx.x];
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
void launch_early(void (*kernel)(Parameters...), int blocks = 1) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = 64;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel);
}

int main() {
    fill<<<1, 64>>>();
    launch_early(between);
    launch_early(reverse);
    return cudaDeviceSynchronize();
}

/*
== clean/kernel_between_waits_in_time
The trigger stands behind the wait.

-    cudaTriggerProgrammaticLaunchCompletion();
     cudaGridDependencySynchronize();
+    cudaTriggerProgrammaticLaunchCompletion();

== clean/kernel_between_triggers_at_its_end
It reads the data, and so it has waited. It has no trigger: the third may start when the kernel's block has ended.

-    cudaTriggerProgrammaticLaunchCompletion();
     cudaGridDependencySynchronize();

== clean/one_thread_of_the_kernel_between_waits
A barrier orders the triggers of all threads after the wait of thread 0.

-    cudaTriggerProgrammaticLaunchCompletion();
-    cudaGridDependencySynchronize();
+    if (threadIdx.x == 0)
+        cudaGridDependencySynchronize();
+    __syncthreads();
+    cudaTriggerProgrammaticLaunchCompletion();

== clean/one_block_of_the_kernel_between_waits_in_time
The third starts when every block has triggered it, and block 1 has waited by then.

-    cudaTriggerProgrammaticLaunchCompletion();
+    if (blockIdx.x == 0)
+        cudaTriggerProgrammaticLaunchCompletion();
     cudaGridDependencySynchronize();
+    cudaTriggerProgrammaticLaunchCompletion();

-    launch_early(between);
+    launch_early(between, 2);

== clean/third_kernel_waits_behind_a_late_wait
The wait of the third kernel covers both.

 __global__ void reverse() {
+    cudaGridDependencySynchronize();

== clean/kernel_between_is_an_ordinary_launch
It starts when the first is complete, and so does the third.

-    launch_early(between);
+    between<<<1, 64>>>();

== clean/third_kernel_in_another_stream
An event behind a kernel stands for all that comes before it in the stream.

     launch_early(between);
-    launch_early(reverse);
+    cudaEvent_t done;
+    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
+    cudaEventRecord(done);
+    cudaStream_t stream;
+    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
+    cudaStreamWaitEvent(stream, done);
+    reverse<<<1, 64, 0, stream>>>();

== clean/host_waits_before_the_third_kernel
The host has waited for the first two.

     launch_early(between);
+    cudaStreamSynchronize(0);

== clean/third_of_four_waits_in_time
The third waits before it triggers the fourth, and its wait covers the first kernel, too.

 __global__ void independent() {
+    cudaGridDependencySynchronize();

     launch_early(between);
+    launch_early(independent);

== wrong/one_thread_of_the_kernel_between_triggers_at_once
A block triggers when the first of its threads does.

-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // other

-    cudaTriggerProgrammaticLaunchCompletion();
+    if (threadIdx.x == 0)
+        cudaTriggerProgrammaticLaunchCompletion();
     cudaGridDependencySynchronize();
+    cudaTriggerProgrammaticLaunchCompletion();

-    out[threadIdx.x] = data[63 - threadIdx.x];
+    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait

== wrong/other_threads_of_the_kernel_between_trigger_at_once
Thread 0 waits and the others do not: nothing orders their triggers behind its wait.

-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // other

-    cudaTriggerProgrammaticLaunchCompletion();
-    cudaGridDependencySynchronize();
-    twice[blockIdx.x][threadIdx.x] = 2 * data[threadIdx.x];
+    if (threadIdx.x == 0)
+        cudaGridDependencySynchronize();
+    cudaTriggerProgrammaticLaunchCompletion();

-    out[threadIdx.x] = data[63 - threadIdx.x];
+    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait

== wrong/each_block_of_the_kernel_between_triggers_at_once
Every block triggers before it waits.

-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // other

-    out[threadIdx.x] = data[63 - threadIdx.x];
+    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait

-    launch_early(between);
+    launch_early(between, 2);

== wrong/kernel_between_ends_without_waiting
The end of a block counts as its trigger.

-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // other

-    cudaTriggerProgrammaticLaunchCompletion();
-    cudaGridDependencySynchronize();
-    twice[blockIdx.x][threadIdx.x] = 2 * data[threadIdx.x];
+    twice[blockIdx.x][threadIdx.x] = 2;

-    out[threadIdx.x] = data[63 - threadIdx.x];
+    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait

== wrong/fourth_kernel_behind_a_late_wait
Neither kernel between the two has waited before it triggers.

-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // other

-    out[threadIdx.x] = data[63 - threadIdx.x];
+    out[threadIdx.x] = data[63 - threadIdx.x]; // error: missing-dependency-wait

     launch_early(between);
+    launch_early(independent);
*/
