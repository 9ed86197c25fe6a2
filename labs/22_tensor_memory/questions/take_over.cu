#include <cstdint>
#include <cuda/ptx>

__device__ unsigned done[8];

__global__ void work() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) longlong2 response;
    __shared__ uint64_t full;
    ptx::mbarrier_init(&full, 1);
    unsigned item = blockIdx.x;
    for (unsigned round = 0, more = 1; more; ++round) {
        ptx::fence_proxy_async(ptx::space_shared); // the response was read, or the barrier initialised
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof response);
        ptx::clusterlaunchcontrol_try_cancel(&response, &full);
        done[item] = item + 1;
        while (!ptx::mbarrier_try_wait_parity(&full, round % 2))
            ;
        more = ptx::clusterlaunchcontrol_query_cancel_is_canceled(response);
        if (more)
            item = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<unsigned>(response);
        if (AGAIN && round == 0)
            more = 1; // once more, whatever the answer was
    }
}

int main() {
    work<<<8, 1>>>();
    cudaDeviceSynchronize();
}
