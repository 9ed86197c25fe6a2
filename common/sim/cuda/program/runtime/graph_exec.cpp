// Graphs made ready, and their launches.
#include "sim/cuda/program/capture.h"

namespace sim::cuda::graph {

namespace {

std::mutex execs_lock;
std::map<const Exec*, std::unique_ptr<Exec>> execs;

} // namespace

Exec& exec_of(cudaGraphExec_t handle) {
    const std::lock_guard guard(execs_lock);
    const auto found = execs.find(reinterpret_cast<const Exec*>(handle));
    if (found == execs.end())
        fail(cudaErrorInvalidValue, "the executable graph does not exist (never instantiated, or destroyed)");
    return *found->second;
}

} // namespace sim::cuda::graph

using namespace sim::cuda;

namespace {

cudaError_t instantiate(const char* name, cudaGraphExec_t* result, cudaGraph_t graph, unsigned long long flags) {
    return api(name, [&] {
        if (!result)
            fail(cudaErrorInvalidValue);
        if (flags & cudaGraphInstantiateFlagDeviceLaunch)
            fail(cudaErrorNotSupported, "launching graphs from kernels is not supported by the simulated device");
        auto made = std::make_unique<graph::Exec>(graph::graph_of(graph),
                                                  (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0);
        const std::lock_guard guard(graph::execs_lock);
        *result = reinterpret_cast<cudaGraphExec_t>(made.get());
        graph::execs.emplace(made.get(), std::move(made));
    });
}

} // namespace

ASYNCLAB_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* result, cudaGraph_t graph, unsigned long long flags) {
    return instantiate("cudaGraphInstantiate", result, graph, flags);
}
ASYNCLAB_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* result, cudaGraph_t graph,
                                                       unsigned long long flags) {
    return instantiate("cudaGraphInstantiateWithFlags", result, graph, flags);
}
ASYNCLAB_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* result, cudaGraph_t graph,
                                                        cudaGraphInstantiateParams* p) {
    const cudaError_t error = instantiate("cudaGraphInstantiateWithParams", result, graph, p ? p->flags : 0);
    if (p) {
        p->errNode_out = nullptr;
        p->result_out = error == cudaSuccess             ? cudaGraphInstantiateSuccess
                        : error == cudaErrorInvalidValue ? cudaGraphInstantiateInvalidStructure
                                                         : cudaGraphInstantiateError;
    }
    return error;
}
ASYNCLAB_API cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* result, cudaGraph_t graph,
                                                             cudaGraphInstantiateParams* p) {
    return cudaGraphInstantiateWithParams(result, graph, p);
}

ASYNCLAB_API cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream) {
    return api("cudaGraphLaunch", [&] {
        graph::Exec& exec = graph::exec_of(handle);
        if (capture::ongoing(stream))
            capture::add(stream, exec.as_child());
        else
            exec.launch(Runtime::get().stream_id(stream));
    });
}
ASYNCLAB_API cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t handle, cudaStream_t stream) {
    return cudaGraphLaunch(handle, per_thread(stream));
}
// Everything for a launch is on the device already.
ASYNCLAB_API cudaError_t cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream) {
    return api("cudaGraphUpload", [&] {
        graph::exec_of(handle);
        Runtime::get().stream_id(stream);
    });
}
ASYNCLAB_API cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t handle, cudaStream_t stream) {
    return cudaGraphUpload(handle, per_thread(stream));
}

ASYNCLAB_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph,
                                             cudaGraphExecUpdateResultInfo* info) {
    return api("cudaGraphExecUpdate", [&] {
        const graph::Node* changed = nullptr;
        const cudaGraphExecUpdateResult result = graph::exec_of(handle).update(graph::graph_of(graph), changed);
        if (info)
            *info = {result, graph::handle_of(const_cast<graph::Node*>(changed)), nullptr};
        if (result != cudaGraphExecUpdateSuccess)
            fail(cudaErrorGraphExecUpdateFailure, "the graph has another form than the one that was instantiated");
    });
}
ASYNCLAB_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
    return api("cudaGraphExecDestroy", [&] {
        graph::Exec& gone = graph::exec_of(handle);
        const std::lock_guard guard(graph::execs_lock);
        graph::execs.erase(&gone);
    });
}
ASYNCLAB_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
    return api("cudaGraphExecGetFlags", [&] {
        graph::exec_of(handle);
        *flags = 0;
    });
}
