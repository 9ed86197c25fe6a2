// The host reads a __managed__ variable that a kernel may still be writing.
__managed__ int filled[64], other = 5;

__global__ void fill() {
    filled[threadIdx.x] = threadIdx.x; // other
}

int main() {
    fill<<<1, 64>>>(); // other
    const int last = filled[63]; // error: host-read-before-sync
    return cudaDeviceSynchronize() + (last < 0);
}

/*
== clean/managed_variable_read_after_the_kernel
The host waits for the kernel first.

-    const int last = filled[63];
-    return cudaDeviceSynchronize() + (last < 0);
+    cudaDeviceSynchronize();
+    return filled[63] - 63;

== clean/initial_values_of_managed_variables
Host and device share the variables, which have their initial values.

-__managed__ int filled[64], other = 5;
+__managed__ int filled[64], other = 5, table[4] = {1, 2, 3, 4};
+__device__ int factor = 3;
+__managed__ int* to_factor = &factor;

-    filled[threadIdx.x] = threadIdx.x;
+    filled[threadIdx.x] = *to_factor * threadIdx.x + other + table[threadIdx.x % 4];

-    fill<<<1, 64>>>();
-    const int last = filled[63];
-    return cudaDeviceSynchronize() + (last < 0);
+    if (other != 5 || table[3] != 4)
+        return 1;
+    other = 6;
+    fill<<<1, 64>>>();
+    cudaDeviceSynchronize();
+    return filled[63] - (3 * 63 + 6 + 4);

== clean/another_managed_variable_is_written
The kernel does not use it.

-    const int last = filled[63];
+    const int last = other = 7;

== clean/another_managed_variable_is_read
Host and kernel use different variables.

-    const int last = filled[63];
+    const int last = other;
*/
