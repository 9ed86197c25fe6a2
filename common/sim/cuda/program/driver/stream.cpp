// Streams and events through the driver.
#include "sim/cuda/program/driver/driver.h"

using namespace sim::cuda;

ASYNCLAB_API CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    return as_driver(cudaStreamCreateWithFlags(stream, flags));
}
ASYNCLAB_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    return as_driver(cudaStreamCreateWithPriority(stream, flags, priority));
}
ASYNCLAB_API CUresult cuStreamDestroy(CUstream stream) {
    return as_driver(cudaStreamDestroy(stream));
}
ASYNCLAB_API CUresult cuStreamSynchronize(CUstream stream) {
    return as_driver(cudaStreamSynchronize(stream));
}
ASYNCLAB_API CUresult cuStreamQuery(CUstream stream) {
    return as_driver(cudaStreamQuery(stream));
}
ASYNCLAB_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return as_driver(cudaStreamWaitEvent(stream, event, flags));
}
ASYNCLAB_API CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
    return as_driver(cudaStreamGetFlags(stream, flags));
}
ASYNCLAB_API CUresult cuStreamGetPriority(CUstream stream, int* priority) {
    return as_driver(cudaStreamGetPriority(stream, priority));
}
ASYNCLAB_API CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
    return as_driver(cudaStreamGetId(stream, id));
}
ASYNCLAB_API CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
    const CUresult error = driver("cuStreamGetCtx", [&] { Runtime::get().stream(stream); });
    return error ? error : cuCtxGetCurrent(context);
}
ASYNCLAB_API CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    return as_driver(cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)));
}
ASYNCLAB_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void* data, unsigned flags) {
    return as_driver(cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(function), data, flags));
}

ASYNCLAB_API CUresult cuEventCreate(CUevent* event, unsigned flags) {
    return as_driver(cudaEventCreateWithFlags(event, flags));
}
ASYNCLAB_API CUresult cuEventDestroy(CUevent event) {
    return as_driver(cudaEventDestroy(event));
}
ASYNCLAB_API CUresult cuEventRecord(CUevent event, CUstream stream) {
    return as_driver(cudaEventRecord(event, stream));
}
ASYNCLAB_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    return as_driver(cudaEventRecordWithFlags(event, stream, flags));
}
ASYNCLAB_API CUresult cuEventSynchronize(CUevent event) {
    return as_driver(cudaEventSynchronize(event));
}
ASYNCLAB_API CUresult cuEventQuery(CUevent event) {
    return as_driver(cudaEventQuery(event));
}
