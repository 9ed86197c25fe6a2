// Compile with --arch compute_100a. The first block of a cluster requests for both, once both have announced the bytes
// of the response.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../../../real/blackwell.h"

constexpr int count = 12;

__global__ void __cluster_dims__(2) work(float* out) {
    __shared__ alignas(16) uint8_t response[16];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence_init();
    }
    cluster_sync();
    int tile = blockIdx.x;
    for (int round = 0;; ++round) {
        if (threadIdx.x == 0)
            arrive_expect(&full, 16);
        cluster_sync();
        if (rank() == 0 && threadIdx.x == 0)
            try_cancel_all(response, &full);
        if (threadIdx.x == 0)
            out[tile] = float(tile + 1);
        wait_cluster(&full, round & 1);
        const bool more = next_tile(response, tile);
        tile += rank();
        fence_async();
        cluster_sync();
        if (!more)
            break;
    }
}

int main() {
    float* out = to_device(std::vector<float>(count));
    work<<<count, 64>>>(out);
    return verdict(out, count, [](int i) { return float(i + 1); });
}

/*
== clean/launch_control_bytes_before_they_are_announced
Compile with --arch compute_100a. The second block announces its bytes only after the request.

-        if (threadIdx.x == 0)
-            arrive_expect(&full, 16);
-        cluster_sync();

-            out[tile] = float(tile + 1);
+            out[tile] = float(tile + 1), arrive_expect(&full, 16);

== wrong/launch_control_bytes_in_one_block
Compile with --arch compute_100a. Only the block that requests announces the bytes.

     for (int round = 0;; ++round) {
-        if (threadIdx.x == 0)
+        if (rank() == 0 && threadIdx.x == 0)

-        wait_cluster(&full, round & 1);
+        wait_cluster(&full, round & 1); // error: deadlock

== clean/launch_control_one_meeting_a_round
Compile with --arch compute_100a. The barrier of the cluster before the next request is enough.

         fence_async();
-        cluster_sync();
+        __syncthreads();
*/
