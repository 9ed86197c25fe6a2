// What follows the exchange is no longer under the lock.
__device__ int lock, sum;

__global__ void add() {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) { // other 1
        }
        __threadfence();
        __threadfence();
        atomicExch(&lock, 0); // other 1
        sum += blockIdx.x; // error 1: read-after-write-race, other 1, error 2: write-after-write-race, other 2
    }
}

int main() {
    add<<<6, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/lock
A spin lock: compare-and-swap and a fence to take it, a fence and an exchange to give it back.

         }
         __threadfence();
+        sum += blockIdx.x;

-        sum += blockIdx.x;
*/
