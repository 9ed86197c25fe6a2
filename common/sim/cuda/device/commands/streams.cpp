// Streams and events.
#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/device/service.h"

namespace sim::cuda {

// --- CreateStream, DestroyStream ---

template <>
CreateStream::Result Service::carry_out(const CreateStream& create, Payload, Reply&) {
    const uint64_t id = new_id();
    streams_.add_stream(id, create.nonblocking != 0);
    return {id};
}

template <>
CreateStream::Result RealGpu::carry_out(const CreateStream& create, Payload, Reply&) {
    CUstream made = nullptr;
    const unsigned flags = create.nonblocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
    checked(cu_.cuStreamCreateWithPriority(&made, flags, create.priority), "creating a stream");
    const uint64_t id = new_id();
    streams_.emplace(id, made);
    return {id};
}

template <>
void Service::carry_out(const DestroyStream& destroy, Payload, Reply&) {
    check_stream(destroy.stream);
    if (destroy.stream == legacy_stream)
        throw Refused{error::invalid_resource_handle, "the default stream cannot be destroyed"};
    streams_.remove_stream(destroy.stream);
}

template <>
void RealGpu::carry_out(const DestroyStream& destroy, Payload, Reply&) {
    if (destroy.stream == legacy_stream)
        throw Refused{error::invalid_resource_handle, "the default stream cannot be destroyed"};
    const CUstream gone = stream(destroy.stream);
    wait_for(Target::stream, destroy.stream); // so that nothing is left that drain() does not see
    streams_.erase(destroy.stream);
    checked(cu_.cuStreamDestroy(gone), "destroying a stream");
}

// --- CreateEvent, DestroyEvent ---

template <>
CreateEvent::Result Service::carry_out(const CreateEvent& create, Payload, Reply&) {
    const uint64_t id = new_id();
    events_.emplace(id, Event{create.timing != 0, nullptr});
    return {id};
}

template <>
CreateEvent::Result RealGpu::carry_out(const CreateEvent& create, Payload, Reply&) {
    CUevent made = nullptr;
    checked(cu_.cuEventCreate(&made, create.timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING), "creating an event");
    const uint64_t id = new_id();
    events_.emplace(id, made);
    return {id};
}

template <>
void Service::carry_out(const DestroyEvent& destroy, Payload, Reply&) {
    event(destroy.event);
    events_.erase(destroy.event);
}

template <>
void RealGpu::carry_out(const DestroyEvent& destroy, Payload, Reply&) {
    checked(cu_.cuEventDestroy(event(destroy.event)), "destroying an event");
    events_.erase(destroy.event);
}

// --- RecordEvent ---

template <>
void Service::carry_out(const RecordEvent& record, Payload, Reply&) {
    check_stream(record.stream);
    Event& event = this->event(record.event);
    constexpr size_t remembered = 16;
    if (event.recorded && !event.waited && event.recorded->stream != record.stream) {
        if (event.replaced.size() == remembered)
            event.replaced.erase(event.replaced.begin());
        event.replaced.push_back(event.recorded);
    }
    event.recorded = streams_.issue(record.stream, {});
    event.waited = false;
    for (const Operation::Ptr& wait : event.early_waits)
        streams_.lose({machine::LostWait::Why::recorded_later, wait, event.recorded});
    event.early_waits.clear();
}

template <>
void RealGpu::carry_out(const RecordEvent& record, Payload, Reply&) {
    checked(cu_.cuEventRecord(event(record.event), stream(record.stream)), "cudaEventRecord");
}

// --- StreamWaitEvent ---

template <>
void Service::carry_out(const StreamWaitEvent& wait, Payload, Reply&) {
    check_stream(wait.stream);
    // "If cudaEventRecord() has not been called on event, then this call acts as if the record has already completed."
    Event& event = this->event(wait.event);
    if (wait.port != Port::complete && event.recorded)
        return streams_.next_starts_early(wait.stream, event.recorded, wait.port);
    Streams::Issue issue;
    issue.also_after = event.recorded;
    const Operation::Ptr marker = streams_.issue(wait.stream, std::move(issue));
    using Why = machine::LostWait::Why;
    if (!event.recorded) {
        streams_.lose({Why::never_recorded, marker, nullptr});
        event.early_waits.push_back(marker);
    }
    for (const Operation::Ptr& record : event.replaced)
        streams_.lose({Why::recorded_again, marker, record, event.recorded->site});
    event.waited = true;
}

template <>
void RealGpu::carry_out(const StreamWaitEvent& wait, Payload, Reply&) {
    checked(cu_.cuStreamWaitEvent(stream(wait.stream), event(wait.event), 0), "cudaStreamWaitEvent");
}

// --- Elapsed ---

template <>
Elapsed::Result Service::carry_out(const Elapsed& elapsed, Payload, Reply&) {
    const Event& first = event(elapsed.first);
    const Event& second = event(elapsed.second);
    if (!first.timing || !second.timing || !first.recorded || !second.recorded)
        throw Refused{error::invalid_resource_handle,
                      "both events must have been recorded, and created without cudaEventDisableTiming"};
    if (!first.recorded->done || !second.recorded->done)
        throw Refused{error::not_ready, "an event has not completed: synchronise with it first"};
    return {static_cast<int64_t>(streams_.finish_time(*second.recorded) - streams_.finish_time(*first.recorded))};
}

template <>
Elapsed::Result RealGpu::carry_out(const Elapsed& elapsed, Payload, Reply&) {
    float milliseconds = 0;
    checked(cu_.cuEventElapsedTime(&milliseconds, event(elapsed.first), event(elapsed.second)), "cudaEventElapsedTime");
    return {static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6)};
}

} // namespace sim::cuda
