// Events.
#include "sim/cuda/program/capture.h"

using namespace sim::cuda;

namespace {

cudaError_t create(const char* name, cudaEvent_t* result, unsigned flags) {
    return api(name, [&] {
        if (!result || (flags & ~(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)))
            fail(cudaErrorInvalidValue, "unknown event flags");
        if (flags & cudaEventInterprocess)
            fail(cudaErrorNotSupported, "events between processes are not supported by the simulated device");
        *result = Runtime::get().create_event(flags);
    });
}

} // namespace

ASYNCLAB_API cudaError_t cudaEventCreate(cudaEvent_t* result) {
    return create("cudaEventCreate", result, cudaEventDefault);
}
ASYNCLAB_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* result, unsigned flags) {
    return create("cudaEventCreateWithFlags", result, flags);
}
ASYNCLAB_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return api("cudaEventDestroy", [&] { Runtime::get().destroy_event(event); });
}
ASYNCLAB_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return api("cudaEventRecord", [&] {
        if (capture::record(event, stream, false))
            return;
        Runtime& runtime = Runtime::get();
        const uint64_t id = runtime.stream_id(stream);
        runtime.call(RecordEvent{runtime.event(event).id, id});
    });
}
ASYNCLAB_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    if (flags & ~unsigned{cudaEventRecordExternal})
        return api("cudaEventRecordWithFlags", [] { fail(cudaErrorInvalidValue, "unknown flags"); });
    if (flags)
        return api("cudaEventRecordWithFlags", [&] { capture::record(event, stream, true); });
    return cudaEventRecord(event, stream);
}
ASYNCLAB_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return api("cudaEventSynchronize", [&] {
        Runtime& runtime = Runtime::get();
        capture::refuse(runtime.event(event));
        runtime.wait(Target::event, runtime.event(event).id);
    });
}
ASYNCLAB_API cudaError_t cudaEventQuery(cudaEvent_t event) {
    return api("cudaEventQuery", [&] {
        Runtime& runtime = Runtime::get();
        capture::refuse(runtime.event(event));
        runtime.query(Target::event, runtime.event(event).id);
    });
}
ASYNCLAB_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t second) {
    return api("cudaEventElapsedTime", [&] {
        if (!milliseconds)
            fail(cudaErrorInvalidValue);
        Runtime& runtime = Runtime::get();
        const auto elapsed = runtime.call(Elapsed{runtime.event(first).id, runtime.event(second).id}).result;
        *milliseconds = static_cast<float>(static_cast<double>(elapsed.nanoseconds) * 1e-6);
    });
}

// nvcc --default-stream per-thread
ASYNCLAB_API cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecord(event, per_thread(stream));
}
ASYNCLAB_API cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return cudaEventRecordWithFlags(event, per_thread(stream), flags);
}
