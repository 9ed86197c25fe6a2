// The reader's fence orders for its own block, and the writer is in another one.
// says: __threadfence_block() at line 13 orders for its own block only; the writer is in another one.
__device__ int data, flag, out;

__global__ void pass() {
    if (blockIdx.x == 0) {
        data = 42; // other
        __threadfence();
        atomicExch(&flag, 1);
    } else {
        while (atomicAdd(&flag, 0) == 0) {
        }
        __threadfence_block(); // other
        out = data; // error: scope-too-narrow
    }
}

int main() {
    pass<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/fence_of_device_scope_after_a_flag
The fence orders for the other block, too.

-        __threadfence_block();
+        __threadfence();
*/
