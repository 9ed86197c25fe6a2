// volatile does not make the lanes of a warp wait for each other.
// says: volatile does not make the lanes of a warp wait
__device__ int in[32], total;

__global__ void sum() {
    __shared__ volatile int part[32];
    const int i = threadIdx.x;
    part[i] = in[i]; // other
    part[i] = part[i] + part[i ^ 1]; // warning: read-after-write-race
    __syncwarp();
    if (i == 0)
        total = part[0];
}

int main() {
    sum<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/warp_barriers_between_volatile_accesses
The lanes wait for each other.

-    part[i] = part[i] + part[i ^ 1];
+    __syncwarp();
+    const int next = part[i ^ 1];
+    __syncwarp();
+    part[i] = part[i] + next;
*/
