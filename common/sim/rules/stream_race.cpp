#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::stream_race{
    .name = "stream-race",
    .title = "Work in different streams accesses the same bytes without being ordered",
    .why = R"(Operations in one stream run in order. Operations in different streams run concurrently or in any order,
        unless an event, a host synchronisation or the legacy default stream orders them. The order in which the host
        issued them does not matter.)",
    .remedy = R"(Record an event after the first and let the second's stream wait for it (cudaStreamWaitEvent), or use
        one stream.)",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#streams",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* conflict = facts.as<Conflict>(); conflict && conflict->other_operation())
            return Explanation{
                .action =
                    fmt::format("{} memory that work in another stream uses", conflict->writes() ? "wrote" : "read"),
                .other_action = conflict->other_wrote ? "wrote it" : "read it",
                .message = "Nothing orders the two operations: different streams "
                           "run concurrently unless an event orders them.",
                .remedy = "Record an event after the first and let the second's stream "
                          "wait for it (cudaStreamWaitEvent), or use one stream.",
            };
        if (const auto* host = facts.as<HostConflict>())
            return Explanation{
                .action = fmt::format("{} device memory that {} {}", host->other_wrote ? "wrote" : "read", host->what,
                                      host->writes ? "writes" : "reads"),
                .other_action = fmt::format("{} {} it", host->what, host->writes ? "writes" : "reads"),
                .message = fmt::format("{} {} bytes that {} {}, and no stream order, event "
                                       "or synchronisation orders one before the other.",
                                       host->what, host->writes ? "writes" : "reads",
                                       host->writes && !host->other.empty() ? host->other : "other work",
                                       host->writes ? "uses" : "writes"),
                .reversed = true, // the host operation has no line
            };
        return std::nullopt;
    },
    .wrong = R"cuda(__device__ int data[64], out[64];

__global__ void fill() { data[threadIdx.x] = threadIdx.x; }
__global__ void reverse() { out[threadIdx.x] = data[63 - threadIdx.x]; }

int main() {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    fill<<<1, 64, 0, first>>>();
    // wrong: nothing makes the second stream wait for the first one
    reverse<<<1, 64, 0, second>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: nothing makes the second stream wait for the first one
+    cudaEvent_t filled;
+    cudaEventCreate(&filled);
+    cudaEventRecord(filled, first);
+    cudaStreamWaitEvent(second, filled);
)",
};

} // namespace sim::hazards
