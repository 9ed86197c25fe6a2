#include "sim/rules/rule.h"

namespace sim::hazards::pageable_async_copy {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    const auto* misuse = facts.as<HostMisuse>();
    if (!misuse || misuse->kind != HostMisuse::Kind::pageable_copy)
        return std::nullopt;
    return Explanation{.message = misuse->message};
}

} // namespace

extern const Rule rule;
const Rule rule{
    .name = "pageable-async-copy",
    .severity = Severity::note,
    .title = "cudaMemcpyAsync with pageable host memory is not asynchronous",
    .why = "The device can copy only to and from page-locked (\"pinned\") host memory. Pageable "
           "memory goes through a staging buffer of the driver. The call blocks the host for the "
           "whole copy, or until the data is in the staging buffer, and nothing overlaps with it.",
    .remedy = "Allocate the host buffer with cudaMallocHost.",
    .manual = "https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html",
    .explain = explain,
    .wrong = R"cuda(#include <vector>

__device__ int data[64];

int main() {
    const std::vector<int> host(64, 1); // pageable
    void* target;
    cudaGetSymbolAddress(&target, data);
    cudaMemcpyAsync(target, host.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <algorithm>

__device__ int data[64];

int main() {
    int* host;
    cudaMallocHost(&host, 64 * sizeof(int)); // pinned
    std::fill_n(host, 64, 1);
    void* target;
    cudaGetSymbolAddress(&target, data);
    cudaMemcpyAsync(target, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards::pageable_async_copy
