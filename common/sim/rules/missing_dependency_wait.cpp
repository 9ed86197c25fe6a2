#include "sim/rules/phrases.h"

namespace sim::hazards {
namespace {

constexpr const char* direct =
    "This kernel may start before the earlier one is complete (cudaLaunchAttributeProgrammaticStreamSerialization, or a "
    "programmatic edge of a graph). Only griddepcontrol.wait orders the two, and neither this thread nor a thread that "
    "it is ordered after has executed it.";
constexpr const char* remedy =
    "Call cudaGridDependencySynchronize() (griddepcontrol.wait) before this access, in each thread that "
    "accesses what the earlier kernel uses.";

constexpr const char* passed_on =
    "The earlier kernel lets the next one start before it is complete, and the next one lets this kernel start without "
    "having waited for the earlier one: its trigger comes before its griddepcontrol.wait, or it never waits. Only "
    "griddepcontrol.wait orders this kernel after the earlier one, and neither this thread nor a thread that it is "
    "ordered after has executed it.";
constexpr const char* remedy_of_passed_on =
    "Call cudaGridDependencySynchronize() (griddepcontrol.wait) before this access, in each thread that accesses what "
    "the earlier kernel uses. Or let the kernel between the two wait first, and trigger after that.";

} // namespace

const Rule rule::missing_dependency_wait{
    .name = "missing-dependency-wait",
    .title = "A dependent kernel accesses what the kernel before it uses, without having waited for it",
    .why = R"(With programmatic dependent launch, a kernel may start as soon as all blocks of the kernel before it
        have executed griddepcontrol.launch_dependents or have exited. The trigger publishes nothing, wherever it
        stands. Only griddepcontrol.wait waits until the earlier kernel is complete and its memory operations are
        visible.)",
    .remedy = R"(Call cudaGridDependencySynchronize() (griddepcontrol.wait) before the first access to memory that the
        earlier kernel uses.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-griddepcontrol",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || !conflict->before_dependency_wait())
            return std::nullopt;
        return Explanation{
            .action = fmt::format("{} memory that an earlier kernel {}", conflict->verb(),
                                  conflict->other_wrote ? "writes" : "reads"),
            .other_action = conflict->other_wrote ? "wrote it" : "read it",
            .message = conflict->passed_on() ? passed_on : direct,
            .remedy = conflict->passed_on() ? remedy_of_passed_on : remedy,
        };
    },
    .suspected = {{"griddepcontrol.wait", 1}},
    .suspected_with = "griddepcontrol",
    .wrong = R"cuda(__device__ int data[64], out[64];

__global__ void fill() {
    cudaTriggerProgrammaticLaunchCompletion();
    data[threadIdx.x] = threadIdx.x;
}

__global__ void reverse() {
    // wrong: fill may still be running
    out[threadIdx.x] = data[63 - threadIdx.x];
}

int main() {
    fill<<<1, 64>>>();
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = 64;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, reverse);
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: fill may still be running
+    cudaGridDependencySynchronize();
)",
};

} // namespace sim::hazards
