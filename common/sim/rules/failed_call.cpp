#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::failed_call{
    .name = "failed-call",
    .title = "A CUDA call fails, and the program does not look at its error",
    .why = R"(A CUDA call that returns an error has done nothing: a kernel whose launch was refused does not run, and a
        copy that was refused moves no bytes. The program goes on with whatever the memory held before. A launch written
        with <<<>>> returns no error; only cudaGetLastError and cudaPeekAtLastError show it, until the error of a later
        call takes its place. A call that fails and whose error the program looks at is reported as a warning.)",
    .remedy = R"(Correct the call. Compare the result of every CUDA call with cudaSuccess, and after each launch that of
        cudaGetLastError.)",
    .manual = "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__ERROR.html",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* misuse = facts.as<HostMisuse>();
        if (!misuse)
            return std::nullopt;
        using Kind = HostMisuse::Kind;
        if (misuse->kind == Kind::failed_call)
            return Explanation{.message = misuse->message};
        if (misuse->kind == Kind::failed_call_looked_at || misuse->kind == Kind::failed_call_looked_at_later)
            return Explanation{.message = misuse->message, .severity = Severity::warning};
        return std::nullopt;
    },
    .wrong = R"cuda(#include <cstdio>

__global__ void reverse(int* data) {
    extern __shared__ int copy[];
    copy[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}

int main() {
    int* data;
    cudaMalloc(&data, 1024 * sizeof(int));
    cudaMemset(data, 0, 1024 * sizeof(int));
    reverse<<<1, 1024, 64 << 10>>>(data); // wrong: without an attribute, a block may have 48 KiB
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    reverse<<<1, 1024, 64 << 10>>>(data); // wrong: without an attribute, a block may have 48 KiB
+    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
+    reverse<<<1, 1024, 64 << 10>>>(data);
)",
};

} // namespace sim::hazards
