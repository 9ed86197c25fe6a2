#include "sim/rules/phrases.h"

namespace sim::hazards {
namespace {

void mention_lost_waits(const std::vector<events::LostWait>& all, Explanation& text) {
    if (all.empty())
        return;
    using Why = events::LostWait::Why;
    const events::LostWait& lost = all.front();
    switch (lost.why) {
    case Why::recorded_again:
        text.also_calls = {{lost.record, "the event is recorded here"},
                           {lost.again, "and recorded again here"},
                           {lost.wait, "this wait sees the last record only"}};
        text.message += " The event was recorded again before it was waited for: a wait sees the last record only, so "
                        "the first one orders nothing.";
        text.remedy = "Use an event for each stream, and wait for all of them.";
        return;
    case Why::recorded_later:
        text.also_calls = {{lost.wait, "this wait comes before the record"},
                           {lost.record, "the event is recorded here"}};
        text.message += " The wait for the event was enqueued before the event was recorded: it waits for an earlier "
                        "record, or for nothing.";
        text.remedy = "Call cudaEventRecord before cudaStreamWaitEvent.";
        return;
    case Why::never_recorded:
        text.also_calls = {{lost.wait, "this wait is for an event that has not been recorded"}};
        text.message += " A wait for an event that has not been recorded waits for nothing.";
        text.remedy = "Record the event behind the work to wait for, before cudaStreamWaitEvent.";
        return;
    }
}

constexpr const char* staged_remedy =
    "Call cudaStreamSynchronize for the stream of the copy (cudaStreamLegacy) or cudaDeviceSynchronize before the "
    "launch, or copy in the kernel's stream.";
constexpr const char* staged_message =
    "cudaMemcpy from pageable memory returns as soon as the bytes are in a staging buffer: the device may not have "
    "them yet, and this stream does not wait for the copy's stream.";

Explanation between_launches(const Conflict& conflict) {
    Explanation text{
        .action = fmt::format("{} memory that work in another stream uses", conflict.writes() ? "wrote" : "read"),
        .other_action = conflict.other_wrote ? "wrote it" : "read it",
        .message = "Nothing orders the two operations: different streams "
                   "run concurrently unless an event orders them.",
        .remedy = "Record an event after the first and let the second's stream "
                  "wait for it (cudaStreamWaitEvent), or use one stream.",
    };
    const Operation* other = conflict.operation_of_other();
    if (other && kind_of(conflict.other) == EpochKind::host)
        text.other_action = fmt::format("{} {} it", other->what, conflict.other_wrote ? "writes" : "reads");
    if (conflict.staged()) {
        text.severity = Severity::warning;
        text.action =
            fmt::format("{} memory that cudaMemcpy may still be writing", conflict.writes() ? "wrote" : "read");
        text.message = staged_message;
        text.remedy = staged_remedy;
        return text;
    }
    const Operation& now = conflict.context().ordering.operations.current();
    if (now.site)
        text.also_calls.emplace_back(now.site, now.what + " is launched here");
    if (other && other->site && kind_of(conflict.other) != EpochKind::host)
        text.also_calls.emplace_back(other->site, other->what + " is launched here");
    mention_lost_waits(conflict.lost_waits(), text);
    return text;
}

Explanation with_host_operation(const HostConflict& host) {
    Explanation text{
        .action = fmt::format("{} device memory that {} {}", host.other_wrote ? "wrote" : "read", host.what,
                              host.writes ? "writes" : "reads"),
        .other_action = fmt::format("{} {} it", host.what, host.writes ? "writes" : "reads"),
        .message = fmt::format("{} {} bytes that {} {}, and no stream order, event "
                               "or synchronisation orders one before the other.",
                               host.what, host.writes ? "writes" : "reads",
                               host.writes && !host.other.empty() ? host.other : "other work",
                               host.writes ? "uses" : "writes"),
        .reversed = true, // a kernel has the line that says more
    };
    if (host.staged) {
        text.severity = Severity::warning;
        text.message = staged_message;
        text.remedy = staged_remedy;
    } else {
        mention_lost_waits(host.lost_waits, text);
    }
    return text;
}

} // namespace

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
        if (const auto* conflict = facts.as<Conflict>();
            conflict && conflict->other_operation() && !conflict->other_is_host())
            return between_launches(*conflict);
        if (const auto* host = facts.as<HostConflict>(); host && !host->by_host && !host->frees)
            return with_host_operation(*host);
        if (const auto* outside = facts.as<OutsideLifetime>();
            outside && outside->when == OutsideLifetime::When::before)
            return Explanation{
                .action = "used memory that cudaMallocAsync allocates in another stream",
                .other_action = "the allocation",
                .message = fmt::format("The memory exists from its allocation on in the order of that stream, and "
                                       "nothing orders {} after it.",
                                       outside->by),
                .remedy = "Record an event behind cudaMallocAsync and let the other stream wait for it "
                          "(cudaStreamWaitEvent), or use the memory in the stream that allocates it.",
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
