// cudaGraphAddNode and its kin, which take nodes of every kind.
#include <algorithm>

#include "sim/cuda/program/graph.h"
#include "sim/cuda/program/runtime/versioned.h"

using namespace sim::cuda;

namespace {

cudaKernelNodeParams kernel_of(const cudaGraphNodeParams& p) {
    cudaKernelNodeParams same{};
    same.func = p.kernel.func;
    same.gridDim = p.kernel.gridDim;
    same.blockDim = p.kernel.blockDim;
    same.sharedMemBytes = p.kernel.sharedMemBytes;
    same.kernelParams = p.kernel.kernelParams;
    same.extra = p.kernel.extra;
    return same;
}

cudaMemsetParams fill_of(const cudaGraphNodeParams& p) {
    return {p.memset.dst, p.memset.pitch, p.memset.value, p.memset.elementSize, p.memset.width, p.memset.height};
}

/// The edges of a new node.
cudaError_t check_edges(cudaGraphNodeType type, const cudaGraphNode_t* after, const cudaGraphEdgeData* edges,
                        size_t count) {
    return api("cudaGraphAddNode", [&] {
        const graph::Work work =
            type == cudaGraphNodeTypeKernel ? graph::Work(graph::KernelWork{}) : graph::Work(graph::Empty{});
        for (size_t i = 0; edges && after && i < count; ++i)
            graph::check_port(graph::port_of(edges[i]), graph::node_of(after[i]).work, work);
    });
}

cudaError_t refused(const char* name, const cudaGraphNodeParams& p) {
    return api(name, [&] {
        fail(cudaErrorNotSupported, p.type == cudaGraphNodeTypeConditional
                                        ? "conditional nodes are not supported by the simulated device"
                                        : "nodes of this kind are not supported by the simulated device");
    });
}

} // namespace

int sim::cuda::add_graph_node(void* result, void* owner, const void* dependencies, const void* edges, size_t count,
                              void* parameters) {
    auto* const node = static_cast<cudaGraphNode_t*>(result);
    const auto graph = static_cast<cudaGraph_t>(owner);
    const auto* const after = static_cast<const cudaGraphNode_t*>(dependencies);
    auto* const p = static_cast<cudaGraphNodeParams*>(parameters);
    const auto* const kinds = static_cast<const cudaGraphEdgeData*>(edges);
    if (!p)
        return api("cudaGraphAddNode", [] { fail(cudaErrorInvalidValue, "no parameters"); });
    if (const cudaError_t error = check_edges(p->type, after, kinds, count))
        return error;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        const cudaKernelNodeParams kernel = kernel_of(*p);
        const cudaError_t error = cudaGraphAddKernelNode(node, graph, after, count, &kernel);
        for (size_t i = 0; !error && kinds && i < count; ++i)
            graph::node_of(*node).after[i].port = graph::port_of(kinds[i]);
        return error;
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
        const cudaMemsetParams fill = fill_of(*p);
        return cudaGraphAddMemsetNode(node, graph, after, count, &fill);
    }
    case cudaGraphNodeTypeHost: {
        const cudaHostNodeParams host{p->host.fn, p->host.userData};
        return cudaGraphAddHostNode(node, graph, after, count, &host);
    }
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(node, graph, after, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, after, count, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, after, count, p->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc: {
        cudaMemAllocNodeParams memory{};
        memory.bytesize = p->alloc.bytesize;
        const cudaError_t error = cudaGraphAddMemAllocNode(node, graph, after, count, &memory);
        p->alloc.dptr = memory.dptr;
        return error;
    }
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(node, graph, after, count, p->free.dptr);
    default:
        return refused("cudaGraphAddNode", *p);
    }
}

ASYNCLAB_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
    if (!p)
        return api("cudaGraphNodeSetParams", [] { fail(cudaErrorInvalidValue, "no parameters"); });
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        const cudaKernelNodeParams kernel = kernel_of(*p);
        return cudaGraphKernelNodeSetParams(node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
        const cudaMemsetParams fill = fill_of(*p);
        return cudaGraphMemsetNodeSetParams(node, &fill);
    }
    case cudaGraphNodeTypeHost: {
        const cudaHostNodeParams host{p->host.fn, p->host.userData};
        return cudaGraphHostNodeSetParams(node, &host);
    }
    default:
        return refused("cudaGraphNodeSetParams", *p);
    }
}

ASYNCLAB_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    cudaGraphNodeParams* p) {
    if (!p)
        return api("cudaGraphExecNodeSetParams", [] { fail(cudaErrorInvalidValue, "no parameters"); });
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        const cudaKernelNodeParams kernel = kernel_of(*p);
        return cudaGraphExecKernelNodeSetParams(exec, node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphExecMemcpyNodeSetParams(exec, node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
        const cudaMemsetParams fill = fill_of(*p);
        return cudaGraphExecMemsetNodeSetParams(exec, node, &fill);
    }
    case cudaGraphNodeTypeHost: {
        const cudaHostNodeParams host{p->host.fn, p->host.userData};
        return cudaGraphExecHostNodeSetParams(exec, node, &host);
    }
    default:
        return refused("cudaGraphExecNodeSetParams", *p);
    }
}
