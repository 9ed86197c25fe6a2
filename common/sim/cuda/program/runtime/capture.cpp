// Stream capture.
#include "sim/cuda/program/capture.h"

using namespace sim::cuda;

namespace {

/// Where the answers of cudaStreamGetCaptureInfo go; each may be nullptr.
struct Info {
    unsigned long long* id;
    cudaGraph_t* graph;
    const cudaGraphNode_t** after;
    const cudaGraphEdgeData** edges;
    size_t* count;
};

cudaError_t info(cudaStream_t handle, cudaStreamCaptureStatus* status, const Info& to) {
    return api("cudaStreamGetCaptureInfo", [&] {
        if (!status)
            fail(cudaErrorInvalidValue);
        *status = capture::status(handle);
        if (to.count)
            *to.count = 0;
        if (to.edges)
            *to.edges = nullptr;
        if (*status != cudaStreamCaptureStatusActive)
            return;
        const capture::Position& position = *Runtime::get().stream(handle)->capture;
        if (to.id)
            *to.id = position.sequence->id;
        if (to.graph)
            *to.graph = graph::handle_of(*position.sequence->recorded);
        static thread_local std::vector<cudaGraphNode_t> nodes;
        static thread_local std::vector<cudaGraphEdgeData> edges;
        nodes.clear();
        edges.clear();
        for (const graph::Dependency& on : position.after) {
            if (to.after && !to.edges && on.port != Port::complete)
                graph::refuse_lossy_query();
            nodes.push_back(graph::handle_of(on.node));
            edges.push_back(graph::edge_of(on.port));
        }
        if (to.edges)
            *to.edges = edges.data();
        if (to.after)
            *to.after = nodes.data();
        if (to.count)
            *to.count = nodes.size();
    });
}

cudaError_t update(cudaStream_t stream, const cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges, size_t count,
                   unsigned flags) {
    return api("cudaStreamUpdateCaptureDependencies", [&] {
        if ((count && !nodes) || flags > cudaStreamSetCaptureDependencies)
            fail(cudaErrorInvalidValue);
        std::vector<graph::Dependency> after;
        for (size_t i = 0; i < count; ++i)
            after.push_back({&graph::node_of(nodes[i]), edges ? graph::port_of(edges[i]) : Port::complete});
        capture::update(stream, std::move(after), flags == cudaStreamSetCaptureDependencies);
    });
}

} // namespace

ASYNCLAB_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return api("cudaStreamBeginCapture", [&] { capture::begin(stream, mode); });
}
ASYNCLAB_API cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return cudaStreamBeginCapture(per_thread(stream), mode);
}
ASYNCLAB_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    return api("cudaStreamEndCapture", [&] {
        if (!graph)
            fail(cudaErrorInvalidValue);
        *graph = nullptr;
        *graph = graph::handle_of(capture::end(stream));
    });
}
ASYNCLAB_API cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
    return cudaStreamEndCapture(per_thread(stream), graph);
}

ASYNCLAB_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                  unsigned long long* id, cudaGraph_t* graph,
                                                  const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                                  size_t* count) {
    return info(stream, status, {id, graph, after, edges, count});
}
ASYNCLAB_API cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                       unsigned long long* id, cudaGraph_t* graph,
                                                       const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                                       size_t* count) {
    return info(per_thread(stream), status, {id, graph, after, edges, count});
}
// CUDA 12's names for this function without and with edges.
ASYNCLAB_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                     unsigned long long* id, cudaGraph_t* graph,
                                                     const cudaGraphNode_t** after, size_t* count) {
    return info(stream, status, {id, graph, after, nullptr, count});
}
ASYNCLAB_API cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                          unsigned long long* id, cudaGraph_t* graph,
                                                          const cudaGraphNode_t** after, size_t* count) {
    return info(per_thread(stream), status, {id, graph, after, nullptr, count});
}
ASYNCLAB_API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                     unsigned long long* id, cudaGraph_t* graph,
                                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                                     size_t* count) {
    return info(stream, status, {id, graph, after, edges, count});
}
ASYNCLAB_API cudaError_t cudaStreamGetCaptureInfo_v3_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                          unsigned long long* id, cudaGraph_t* graph,
                                                          const cudaGraphNode_t** after,
                                                          const cudaGraphEdgeData** edges, size_t* count) {
    return info(per_thread(stream), status, {id, graph, after, edges, count});
}

ASYNCLAB_API cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                                const cudaGraphEdgeData* edges, size_t count,
                                                                unsigned flags) {
    return update(stream, nodes, edges, count, flags);
}
ASYNCLAB_API cudaError_t cudaStreamUpdateCaptureDependencies_v2_ptsz(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                                     const cudaGraphEdgeData* edges, size_t count,
                                                                     unsigned flags) {
    return update(per_thread(stream), nodes, edges, count, flags);
}
// CUDA 12 has no edges here, so that the count is in their place.
ASYNCLAB_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                             const cudaGraphEdgeData* edges, size_t count,
                                                             unsigned flags) {
    if (graph::has_edges())
        return update(stream, nodes, edges, count, flags);
    return update(stream, nodes, nullptr, reinterpret_cast<size_t>(edges), static_cast<unsigned>(count));
}
ASYNCLAB_API cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                                  const cudaGraphEdgeData* edges, size_t count,
                                                                  unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(per_thread(stream), nodes, edges, count, flags);
}
