// The lane that has got the lock waits for the lanes that ask for it.
// says: asks again and again for lock[0], which thread 0 of block 0 has taken
__device__ int size;

__global__ void insert() {
    __shared__ int lock[1];
    if (threadIdx.x == 0)
        lock[0] = 0;
    __syncwarp();
    while (atomicCAS(&lock[0], 0, 1) != 0) { // error: deadlock
    }
    __syncwarp();
    __threadfence_block();
    size += 1;
    __threadfence_block();
    atomicExch(&lock[0], 0);
}

int main() {
    insert<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/lock_released_within_the_branch
The lane that has got the lock releases it before it waits for anybody.

-    while (atomicCAS(&lock[0], 0, 1) != 0) {
-    }
-    __syncwarp();
-    __threadfence_block();
-    size += 1;
-    __threadfence_block();
-    atomicExch(&lock[0], 0);
+    for (bool done = false; !done;)
+        if (atomicCAS(&lock[0], 0, 1) == 0) {
+            __threadfence_block();
+            size += 1;
+            __threadfence_block();
+            atomicExch(&lock[0], 0);
+            done = true;
+        }
+    __syncwarp();
*/
