// The writer's fence orders for its own block, and the reader is in another one.
// says: __threadfence_block() at line 8 orders for its own block only; the reader is in another one.
__device__ int data, flag, out;

__global__ void pass() {
    if (blockIdx.x == 0) {
        data = 42; // other
        __threadfence_block(); // other
        atomicExch(&flag, 1);
    } else {
        while (atomicAdd(&flag, 0) == 0) { // other
        }
        __threadfence();
        out = data; // error: scope-too-narrow
    }
}

int main() {
    pass<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/fence_of_device_scope_before_a_flag
The fence orders for the other block, too.

-        __threadfence_block();
+        __threadfence();
*/
