// Three bytes of the word are written, and all four are added.
__device__ int total;

__global__ void add() {
    __shared__ unsigned char bytes[4];
    if (threadIdx.x < 3)
        bytes[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        total = *reinterpret_cast<int*>(bytes) + 1; // error: uninitialised-read
}

int main() {
    add<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/word_with_all_bytes
All four bytes are written.

-    if (threadIdx.x < 3)
+    if (threadIdx.x < 4)

== clean/word_of_which_three_bytes_are_used
The byte that nothing has written is masked out.

-        total = *reinterpret_cast<int*>(bytes) + 1;
+        total = (*reinterpret_cast<int*>(bytes) & 0xffffff) + 1;
*/
