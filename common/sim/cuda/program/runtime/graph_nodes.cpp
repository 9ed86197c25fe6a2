// The nodes of graphs that are built by hand.
#include "base/demangle.h"
#include "sim/cuda/program/capture.h"

using namespace sim::cuda;

namespace {

/// Adds a node; make() gives its work.
template <typename Make>
cudaError_t add(const char* name, cudaGraphNode_t* result, cudaGraph_t graph, const cudaGraphNode_t* after,
                size_t count, Make make) {
    return api(name, [&] {
        graph::Graph& owner = graph::graph_of(graph);
        if (!result || (count && !after))
            fail(cudaErrorInvalidValue);
        std::vector<graph::Dependency> nodes;
        for (size_t i = 0; i < count; ++i)
            nodes.push_back({&graph::node_of(after[i])});
        *result = graph::handle_of(owner.add(make(), nodes));
    });
}

/// Gives a node other work of the same kind.
template <typename Kind, typename Make>
cudaError_t change(const char* name, cudaGraphNode_t node, Make make) {
    return api(name, [&] {
        graph::Work& work = graph::node_of(node).work;
        if (!std::holds_alternative<Kind>(work))
            fail(cudaErrorInvalidValue, "the node is of another kind");
        work = make();
    });
}

/// The same for a graph that is ready.
template <typename Kind, typename Make>
cudaError_t change(const char* name, cudaGraphExec_t exec, cudaGraphNode_t node, Make make) {
    return api(name, [&] {
        graph::Work* work = graph::exec_of(exec).work_of(reinterpret_cast<const graph::Node*>(node));
        if (!work || !std::holds_alternative<Kind>(*work))
            fail(cudaErrorInvalidValue, "the node is of another kind, or of another graph");
        *work = make();
    });
}

graph::KernelWork work_of(const cudaKernelNodeParams* p) {
    if (!p || !p->func)
        fail(cudaErrorInvalidValue, "no kernel");
    if (p->extra)
        fail(cudaErrorNotSupported, "kernel parameters in the \"extra\" format are not supported");
    return graph::kernel_work(p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams);
}

graph::CopyWork work_of(const Box& box, cudaMemcpyKind kind, const void* site) {
    if (!box.width || !box.height || !box.depth || !box.destination || !box.source)
        fail(cudaErrorInvalidValue, "a copy of no bytes, or a null pointer");
    return {box, kind, site};
}
graph::CopyWork work_of(const cudaMemcpy3DParms* p, const void* site) {
    if (!p)
        fail(cudaErrorInvalidValue);
    return work_of(graph::box_of(*p), p->kind, site);
}
graph::CopyWork work_of(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, const void* site) {
    Box box;
    box.destination = to_address(to);
    box.source = to_address(from);
    box.width = bytes;
    return work_of(box, kind, site);
}
void* inside(const void* symbol, size_t bytes, size_t offset) {
    const RegisteredVariable& found = Runtime::get().variable(symbol);
    if (offset > found.bytes || bytes > found.bytes - offset)
        fail(cudaErrorInvalidValue, base::demangled(found.name) + " has " + std::to_string(found.bytes) + " bytes");
    return to_pointer(found.address + offset);
}

graph::FillWork work_of(const cudaMemsetParams* p) {
    if (!p || !p->width || !p->height || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        fail(cudaErrorInvalidValue, "elements of 1, 2 or 4 bytes can be set, and at least one");
    if (place_of(to_address(p->dst)) == AddressKind::pageable)
        fail(cudaErrorInvalidValue, "the destination is ordinary host memory");
    const uint64_t row = p->width * p->elementSize;
    return {Fill{0, to_address(p->dst), p->width, p->height, p->height > 1 ? p->pitch : row,
                 p->elementSize == 4 ? p->value : p->value & ((1u << 8 * p->elementSize) - 1), p->elementSize}};
}

graph::HostWork work_of(const cudaHostNodeParams* p) {
    if (!p || !p->fn)
        fail(cudaErrorInvalidValue, "no function");
    return graph::HostWork::of(p->fn, p->userData);
}

graph::ChildWork child_work(cudaGraph_t graph) {
    return {std::make_shared<const graph::Graph>(graph::graph_of(graph))};
}

graph::EventWork event_work(cudaEvent_t event, bool record) {
    Runtime::get().event(event);
    return {event, record};
}

} // namespace

#define HERE __builtin_return_address(0)
#define NODE cudaGraphNode_t *result, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count

ASYNCLAB_API cudaError_t cudaGraphAddKernelNode(NODE, const cudaKernelNodeParams* p) {
    return add("cudaGraphAddKernelNode", result, graph, after, count, [&] { return work_of(p); });
}
ASYNCLAB_API cudaError_t cudaGraphAddMemcpyNode(NODE, const cudaMemcpy3DParms* p) {
    const void* site = HERE;
    return add("cudaGraphAddMemcpyNode", result, graph, after, count, [&] { return work_of(p, site); });
}
ASYNCLAB_API cudaError_t cudaGraphAddMemcpyNode1D(NODE, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    const void* site = HERE;
    return add("cudaGraphAddMemcpyNode1D", result, graph, after, count,
               [&] { return work_of(to, from, bytes, kind, site); });
}
ASYNCLAB_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(NODE, const void* symbol, const void* from, size_t bytes,
                                                        size_t offset, cudaMemcpyKind kind) {
    const void* site = HERE;
    return add("cudaGraphAddMemcpyNodeToSymbol", result, graph, after, count,
               [&] { return work_of(inside(symbol, bytes, offset), from, bytes, kind, site); });
}
ASYNCLAB_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(NODE, void* to, const void* symbol, size_t bytes,
                                                          size_t offset, cudaMemcpyKind kind) {
    const void* site = HERE;
    return add("cudaGraphAddMemcpyNodeFromSymbol", result, graph, after, count,
               [&] { return work_of(to, inside(symbol, bytes, offset), bytes, kind, site); });
}
ASYNCLAB_API cudaError_t cudaGraphAddMemsetNode(NODE, const cudaMemsetParams* p) {
    return add("cudaGraphAddMemsetNode", result, graph, after, count, [&] { return work_of(p); });
}
ASYNCLAB_API cudaError_t cudaGraphAddHostNode(NODE, const cudaHostNodeParams* p) {
    return add("cudaGraphAddHostNode", result, graph, after, count, [&] { return work_of(p); });
}
ASYNCLAB_API cudaError_t cudaGraphAddEmptyNode(NODE) {
    return add("cudaGraphAddEmptyNode", result, graph, after, count, [] { return graph::Empty{}; });
}
ASYNCLAB_API cudaError_t cudaGraphAddChildGraphNode(NODE, cudaGraph_t child) {
    return add("cudaGraphAddChildGraphNode", result, graph, after, count, [&] { return child_work(child); });
}
ASYNCLAB_API cudaError_t cudaGraphAddEventRecordNode(NODE, cudaEvent_t event) {
    return add("cudaGraphAddEventRecordNode", result, graph, after, count, [&] { return event_work(event, true); });
}
ASYNCLAB_API cudaError_t cudaGraphAddEventWaitNode(NODE, cudaEvent_t event) {
    return add("cudaGraphAddEventWaitNode", result, graph, after, count, [&] { return event_work(event, false); });
}
ASYNCLAB_API cudaError_t cudaGraphAddMemAllocNode(NODE, cudaMemAllocNodeParams* p) {
    return add("cudaGraphAddMemAllocNode", result, graph, after, count, [&] {
        if (!p)
            fail(cudaErrorInvalidValue);
        const graph::AllocateWork work = graph::set_aside(p->bytesize);
        p->dptr = to_pointer(work.address);
        return work;
    });
}
ASYNCLAB_API cudaError_t cudaGraphAddMemFreeNode(NODE, void* memory) {
    return add("cudaGraphAddMemFreeNode", result, graph, after, count, [&] {
        if (!memory)
            fail(cudaErrorInvalidValue);
        return graph::FreeWork{to_address(memory)};
    });
}
ASYNCLAB_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
    return api("cudaGraphMemAllocNodeGetParams", [&] {
        const auto* work = std::get_if<graph::AllocateWork>(&graph::node_of(node).work);
        if (!work || !p)
            fail(cudaErrorInvalidValue, "the node is of another kind");
        *p = {};
        p->poolProps.allocType = cudaMemAllocationTypePinned;
        p->poolProps.location.type = cudaMemLocationTypeDevice;
        p->bytesize = work->bytes;
        p->dptr = to_pointer(work->address);
    });
}
ASYNCLAB_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* memory) {
    return api("cudaGraphMemFreeNodeGetParams", [&] {
        const auto* work = std::get_if<graph::FreeWork>(&graph::node_of(node).work);
        if (!work || !memory)
            fail(cudaErrorInvalidValue, "the node is of another kind");
        *static_cast<void**>(memory) = to_pointer(work->address);
    });
}
ASYNCLAB_API cudaError_t cudaDeviceGraphMemTrim(int) {
    return cudaSuccess; // memory of graphs stays where it is
}

ASYNCLAB_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
    return change<graph::KernelWork>("cudaGraphKernelNodeSetParams", node, [&] { return work_of(p); });
}
ASYNCLAB_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
    const void* site = HERE;
    return change<graph::CopyWork>("cudaGraphMemcpyNodeSetParams", node, [&] { return work_of(p, site); });
}
ASYNCLAB_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                                        cudaMemcpyKind kind) {
    const void* site = HERE;
    return change<graph::CopyWork>("cudaGraphMemcpyNodeSetParams1D", node,
                                   [&] { return work_of(to, from, bytes, kind, site); });
}
ASYNCLAB_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
    return change<graph::FillWork>("cudaGraphMemsetNodeSetParams", node, [&] { return work_of(p); });
}
ASYNCLAB_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
    return change<graph::HostWork>("cudaGraphHostNodeSetParams", node, [&] { return work_of(p); });
}

ASYNCLAB_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                          const cudaKernelNodeParams* p) {
    return change<graph::KernelWork>("cudaGraphExecKernelNodeSetParams", exec, node, [&] { return work_of(p); });
}
ASYNCLAB_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                          const cudaMemcpy3DParms* p) {
    const void* site = HERE;
    return change<graph::CopyWork>("cudaGraphExecMemcpyNodeSetParams", exec, node, [&] { return work_of(p, site); });
}
ASYNCLAB_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                                            const void* from, size_t bytes, cudaMemcpyKind kind) {
    const void* site = HERE;
    return change<graph::CopyWork>("cudaGraphExecMemcpyNodeSetParams1D", exec, node,
                                   [&] { return work_of(to, from, bytes, kind, site); });
}
ASYNCLAB_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                          const cudaMemsetParams* p) {
    return change<graph::FillWork>("cudaGraphExecMemsetNodeSetParams", exec, node, [&] { return work_of(p); });
}
ASYNCLAB_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                        const cudaHostNodeParams* p) {
    return change<graph::HostWork>("cudaGraphExecHostNodeSetParams", exec, node, [&] { return work_of(p); });
}

#undef NODE
#undef HERE
