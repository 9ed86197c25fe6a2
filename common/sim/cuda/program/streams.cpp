// Stream and event handles.
#include "sim/cuda/program/capture.h"

namespace sim::cuda {

namespace {

// Each thread's own default stream (cudaStreamPerThread), made when it is first used.
thread_local cudaStream_t own_stream = nullptr;

} // namespace

Stream* Runtime::stream(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy)
        return nullptr;
    if (handle == cudaStreamPerThread) {
        if (!own_stream)
            own_stream = create_stream(cudaStreamDefault, 0);
        handle = own_stream;
    }
    auto* stream = reinterpret_cast<Stream*>(handle);
    const std::lock_guard lock(mutex_);
    if (!streams_.contains(stream))
        fail(cudaErrorInvalidResourceHandle, "the stream does not exist (never created, or destroyed)");
    return stream;
}

uint64_t Runtime::stream_id(cudaStream_t handle) {
    const Stream* found = stream(handle);
    capture::refuse(found);
    return found ? found->id : legacy_stream;
}

cudaStream_t Runtime::create_stream(unsigned flags, int priority) {
    auto made = std::make_unique<Stream>();
    made->id = call(CreateStream{flags & cudaStreamNonBlocking ? 1u : 0u, priority}).result.stream;
    made->flags = flags;
    made->priority = priority;
    const std::lock_guard lock(mutex_);
    streams_.insert(made.get());
    return reinterpret_cast<cudaStream_t>(made.release());
}

void Runtime::destroy_stream(cudaStream_t handle) {
    Stream* gone = stream(handle);
    if (!gone || handle == cudaStreamPerThread)
        fail(cudaErrorInvalidResourceHandle, "a default stream cannot be destroyed");
    capture::forget(gone);
    call(DestroyStream{gone->id});
    const std::lock_guard lock(mutex_);
    streams_.erase(gone);
    delete gone;
}

Event& Runtime::event(cudaEvent_t handle) {
    auto* event = reinterpret_cast<Event*>(handle);
    const std::lock_guard lock(mutex_);
    if (!events_.contains(event))
        fail(cudaErrorInvalidResourceHandle, "the event does not exist (never created, or destroyed)");
    return *event;
}

cudaEvent_t Runtime::create_event(unsigned flags) {
    auto made = std::make_unique<Event>();
    made->id = call(CreateEvent{flags & cudaEventDisableTiming ? 0u : 1u}).result.event;
    made->flags = flags;
    const std::lock_guard lock(mutex_);
    events_.insert(made.get());
    return reinterpret_cast<cudaEvent_t>(made.release());
}

void Runtime::destroy_event(cudaEvent_t handle) {
    Event& gone = event(handle);
    call(DestroyEvent{gone.id});
    const std::lock_guard lock(mutex_);
    events_.erase(&gone);
    delete &gone;
}

} // namespace sim::cuda
