// The host downloads memory that no kernel and no copy has written.
__global__ void fill(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = i;
}

int main() {
    int *data, host[256];
    cudaMalloc(&data, sizeof host);
    fill<<<1, 128>>>(data, 256);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost); // warning: uninitialised-read
    return cudaDeviceSynchronize();
}

/*
== clean/download_of_all_that_was_written
The grid covers the buffer.

-    fill<<<1, 128>>>(data, 256);
+    fill<<<2, 128>>>(data, 256);

== clean/download_of_structures_with_padding
Bytes between the members of structures need no value.

+struct Pair {
+    char first;
+    int second;
+};
+__global__ void fill_pairs(Pair* data) {
+    data[threadIdx.x].first = 1;
+    data[threadIdx.x].second = 2;
+}
 __global__ void fill(int* data, int n) {

-    fill<<<1, 128>>>(data, 256);
+    fill_pairs<<<1, 128>>>(reinterpret_cast<Pair*>(data));
*/
