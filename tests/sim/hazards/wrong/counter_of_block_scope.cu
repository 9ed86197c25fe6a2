// Two blocks count together, and each operation is atomic in its own block only.
// says: This operation has .cta scope
__device__ int count;

__global__ void add() {
    atomicAdd_block(&count, 1); // error: scope-too-narrow, other
}

int main() {
    add<<<2, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/counter_of_each_block
Each block has a counter of its own.

-__device__ int count;
+__device__ int count[2];

-    atomicAdd_block(&count, 1);
+    atomicAdd_block(&count[blockIdx.x], 1);
*/
