#include <cstdint>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ unsigned done[8];

__device__ void request(longlong2* response, uint64_t* answered) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, answered, sizeof *response);
    ptx::clusterlaunchcontrol_try_cancel(response, answered);
}

__global__ void work() {
    __shared__ alignas(16) longlong2 response;
    __shared__ uint64_t answered;
    ptx::mbarrier_init(&answered, 1);
    int tile = blockIdx.x;
    request(&response, &answered);
    for (int round = 0;; ++round) {
        done[tile] = tile + 1;
        while (!ptx::mbarrier_try_wait_parity(&answered, round % 2))
            ;
        if (EARLY)
            request(&response, &answered);
        if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(response))
            break;
        tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(response);
        ptx::fence_proxy_async(ptx::space_shared);
        if (!EARLY)
            request(&response, &answered);
    }
}

int main() {
    work<<<8, 1>>>();
    cudaDeviceSynchronize();
}
