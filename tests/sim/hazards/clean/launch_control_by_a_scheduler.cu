// Compile with --arch compute_100a. A warp of each block does nothing but request the next block, one request ahead of
// the three warps that work.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

constexpr int count = 12, workers = 96, slots = 2;

__global__ void work(float* out) {
    __shared__ alignas(16) uint8_t response[slots][16];
    __shared__ uint64_t full[slots], empty[slots];
    if (threadIdx.x == 0) {
        for (int s = 0; s < slots; ++s) {
            init(&full[s], 1);
            init(&empty[s], workers);
        }
        fence_init();
    }
    __syncthreads();
    int tile = blockIdx.x;
    if (threadIdx.x == workers) {
        for (int round = 0;; ++round) {
            const int s = round % slots;
            wait(&empty[s], (round / slots & 1) ^ 1);
            arrive_expect(&full[s], 16);
            try_cancel(response[s], &full[s]);
            wait(&full[s], round / slots & 1);
            if (!next_tile(response[s], tile))
                break;
            fence_async();
        }
    } else if (threadIdx.x < workers) {
        for (int round = 0;; ++round) {
            const int s = round % slots;
            out[tile * workers + threadIdx.x] = float(tile + 1);
            wait(&full[s], round / slots & 1);
            const bool more = next_tile(response[s], tile);
            fence_async();
            arrive(&empty[s]);
            if (!more)
                break;
        }
    }
}

int main() {
    float* out = to_device(std::vector<float>(count * workers));
    work<<<count, workers + 32>>>(out);
    return verdict(out, count * workers, [](int i) { return float(i / workers + 1); });
}

/*
== clean/launch_control_one_slot
Compile with --arch compute_100a. The same with one slot.

-constexpr int count = 12, workers = 96, slots = 2;
+constexpr int count = 12, workers = 96, slots = 1;

== clean/launch_control_scheduler_fences
Compile with --arch compute_100a. The requesting thread executes the proxy fence for all, after it has waited.

             wait(&empty[s], (round / slots & 1) ^ 1);
+            fence_async();

                 break;
-            fence_async();

             const bool more = next_tile(response[s], tile);
-            fence_async();

== wrong/launch_control_request_after_a_failure
Compile with --arch compute_100a. The scheduler requests once more before it looks at the response.

-            try_cancel(response[s], &full[s]);
+            try_cancel(response[s], &full[s]); // error: cluster-launch-control
             wait(&full[s], round / slots & 1);
-            if (!next_tile(response[s], tile))
+            if (!next_tile(response[s], tile) && round >= slots)

== wrong/launch_control_more_bytes
Compile with --arch compute_100a. The scheduler announces twice the bytes of a response.

-            arrive_expect(&full[s], 16);
+            arrive_expect(&full[s], 32);

             out[tile * workers + threadIdx.x] = float(tile + 1);
-            wait(&full[s], round / slots & 1);
+            wait(&full[s], round / slots & 1); // error: deadlock
*/
