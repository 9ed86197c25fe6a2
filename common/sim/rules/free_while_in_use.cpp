#include "sim/rules/phrases.h"

namespace sim::hazards {
namespace {

Explanation freed_in_use(const std::string& what, const std::string& user, std::string use) {
    const bool at_once = what == "cudaFree";
    return {
        .action = what + " frees memory that other work may still use",
        .other_action = std::move(use),
        .message = at_once ? fmt::format("The memory is from cudaMallocAsync: cudaFree does not wait for the streams "
                                         "that use it, and nothing has waited for {}.",
                                         user.empty() ? "this work" : user)
                           : fmt::format("{} frees the memory in the order of its stream, and nothing orders {} before "
                                         "it.",
                                         what, user.empty() ? "this work" : user),
        .remedy = at_once ? "Free it with cudaFreeAsync in the stream that used it last, or call cudaStreamSynchronize "
                            "before cudaFree."
                          : "Record an event behind the last use and let the stream that frees wait for it "
                            "(cudaStreamWaitEvent), or free the memory in the stream that used it last.",
    };
}

} // namespace

const Rule rule::free_while_in_use{
    .name = "free-while-in-use",
    .title = "Memory is freed while asynchronous work still uses it",
    .why = R"(Freeing memory that a pending copy or kernel uses is undefined unless the call waits for that work.
        cudaFree and cudaFreeHost wait for the device in today's implementation, which also serialises everything
        else. cudaFreeAsync on another stream, cudaFree of memory from cudaMallocAsync, and munmap do not wait.)",
    .remedy = R"(Wait for the work (cudaStreamSynchronize) before you free its memory, or free it in stream order with
        cudaFreeAsync.)",
    .manual = "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* host = facts.as<HostConflict>(); host && host->frees)
            return freed_in_use(host->what, host->other, host->other_wrote ? "wrote it" : "read it");
        if (const auto* outside = facts.as<OutsideLifetime>();
            outside && outside->when == OutsideLifetime::When::around_free) {
            Explanation text = freed_in_use(outside->freed_by, outside->by, "used it");
            text.reversed = true;
            return text;
        }
        const auto* misuse = facts.as<HostMisuse>();
        if (!misuse || misuse->kind != HostMisuse::Kind::free_while_in_use)
            return std::nullopt;
        return Explanation{.message = misuse->message};
    },
    .wrong = R"cuda(__device__ int data[64];

int main() {
    int *host, *target;
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaGetSymbolAddress(reinterpret_cast<void**>(&target), data);
    for (int i = 0; i < 64; ++i)
        host[i] = i;
    cudaMemcpyAsync(target, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
    return cudaFreeHost(host); // wrong: the copy may still read it
}
)cuda",
    .changes = R"(
-    return cudaFreeHost(host); // wrong: the copy may still read it
+    cudaStreamSynchronize(nullptr);
+    return cudaFreeHost(host);
)",
};

} // namespace sim::hazards
