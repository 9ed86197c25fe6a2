// Streams and the host's operations on them.
#include "sim/cuda/program/capture.h"
#include "sim/cuda/program/failed_calls.h"

using namespace sim::cuda;

namespace {

cudaError_t create(const char* name, cudaStream_t* result, unsigned flags, int priority) {
    return api(name, [&] {
        if (!result || (flags & ~cudaStreamNonBlocking))
            fail(cudaErrorInvalidValue, "unknown stream flags");
        *result = Runtime::get().create_stream(flags, priority);
    });
}

} // namespace

ASYNCLAB_API cudaError_t cudaStreamCreate(cudaStream_t* result) {
    return create("cudaStreamCreate", result, cudaStreamDefault, 0);
}
ASYNCLAB_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* result, unsigned flags) {
    return create("cudaStreamCreateWithFlags", result, flags, 0);
}
ASYNCLAB_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* result, unsigned flags, int priority) {
    return create("cudaStreamCreateWithPriority", result, flags, std::max(-5, std::min(0, priority)));
}
ASYNCLAB_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return api("cudaStreamDestroy", [&] { Runtime::get().destroy_stream(stream); });
}
ASYNCLAB_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return api("cudaStreamSynchronize", [&] {
        Runtime& runtime = Runtime::get();
        runtime.wait(Target::stream, runtime.stream_id(stream));
    });
}
ASYNCLAB_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return api("cudaStreamQuery", [&] {
        Runtime& runtime = Runtime::get();
        runtime.query(Target::stream, runtime.stream_id(stream));
    });
}
ASYNCLAB_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return api("cudaStreamWaitEvent", [&] {
        if (capture::wait(stream, event, flags & cudaEventWaitExternal))
            return;
        Runtime& runtime = Runtime::get();
        const uint64_t id = runtime.stream_id(stream);
        runtime.call(StreamWaitEvent{id, runtime.event(event).id});
    });
}
ASYNCLAB_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return api("cudaStreamGetFlags", [&] {
        const Stream* found = Runtime::get().stream(stream);
        *flags = found ? found->flags : cudaStreamDefault;
    });
}
ASYNCLAB_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return api("cudaStreamGetPriority", [&] {
        const Stream* found = Runtime::get().stream(stream);
        *priority = found ? found->priority : 0;
    });
}
ASYNCLAB_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    return api("cudaStreamGetId", [&] {
        const Stream* found = Runtime::get().stream(stream);
        *id = found ? found->id : legacy_stream;
    });
}
ASYNCLAB_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return api("cudaStreamGetDevice", [&] {
        Runtime::get().stream(stream);
        *device = 0;
    });
}
ASYNCLAB_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return api("cudaStreamIsCapturing", [&] {
        if (!status)
            fail(cudaErrorInvalidValue);
        *status = capture::status(stream);
    });
}
ASYNCLAB_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return cudaSuccess;
}

ASYNCLAB_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return api("cudaLaunchHostFunc", [&] {
        if (!function)
            fail(cudaErrorInvalidValue, "the function is a null pointer");
        graph::put(stream, graph::HostWork::of(function, data));
    });
}
ASYNCLAB_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                               unsigned flags) {
    return api("cudaStreamAddCallback", [&] {
        if (!function)
            fail(cudaErrorInvalidValue, "the function is a null pointer");
        if (flags)
            fail(cudaErrorInvalidValue, "the flags have to be 0");
        Runtime& runtime = Runtime::get();
        runtime.host_call(runtime.stream_id(stream), [&runtime, stream, function, data] {
            run_program_function(reinterpret_cast<const void*>(function),
                                 [&] { function(stream, runtime.sticky(), data); });
        });
    });
}

// Attributes of a stream are hints about caching and scheduling.
ASYNCLAB_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID,
                                                const cudaLaunchAttributeValue*) {
    return api("cudaStreamSetAttribute", [&] { Runtime::get().stream(stream); });
}

// nvcc --default-stream per-thread
ASYNCLAB_API cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID which,
                                                     const cudaLaunchAttributeValue* value) {
    return cudaStreamSetAttribute(per_thread(stream), which, value);
}
ASYNCLAB_API cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int* device) {
    return cudaStreamGetDevice(per_thread(stream), device);
}
ASYNCLAB_API cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
    return cudaStreamSynchronize(per_thread(stream));
}
ASYNCLAB_API cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
    return cudaStreamQuery(per_thread(stream));
}
ASYNCLAB_API cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return cudaStreamWaitEvent(per_thread(stream), event, flags);
}
ASYNCLAB_API cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned* flags) {
    return cudaStreamGetFlags(per_thread(stream), flags);
}
ASYNCLAB_API cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int* priority) {
    return cudaStreamGetPriority(per_thread(stream), priority);
}
ASYNCLAB_API cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id) {
    return cudaStreamGetId(per_thread(stream), id);
}
ASYNCLAB_API cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return cudaStreamIsCapturing(per_thread(stream), status);
}
ASYNCLAB_API cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return cudaLaunchHostFunc(per_thread(stream), function, data);
}
ASYNCLAB_API cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                                    unsigned flags) {
    return cudaStreamAddCallback(per_thread(stream), function, data, flags);
}
