// Graphs: their handles, and the dependencies between their nodes.
#include <set>

#include "sim/cuda/program/capture.h"

namespace sim::cuda::graph {

namespace {

std::mutex lock_;
std::map<const Graph*, std::unique_ptr<Graph>> graphs_;

} // namespace

cudaGraph_t handle_of(std::unique_ptr<Graph> graph) {
    const std::lock_guard guard(lock_);
    Graph& made = *graph;
    graphs_.emplace(&made, std::move(graph));
    return handle_of(made);
}

Graph& graph_of(cudaGraph_t handle) {
    for (Graph* graph : capture::graphs())
        if (handle_of(*graph) == handle)
            return *graph;
    const std::lock_guard guard(lock_);
    const auto found = graphs_.find(reinterpret_cast<const Graph*>(handle));
    if (found == graphs_.end())
        fail(cudaErrorInvalidValue, "the graph does not exist (never created, or destroyed)");
    return *found->second;
}

Node& node_of(cudaGraphNode_t handle) {
    const auto* wanted = reinterpret_cast<const Node*>(handle);
    std::vector<Graph*> graphs = capture::graphs();
    const std::lock_guard guard(lock_);
    for (const auto& [key, graph] : graphs_)
        graphs.push_back(graph.get());
    for (const Graph* graph : graphs)
        for (const auto& node : graph->nodes)
            if (node.get() == wanted)
                return *node;
    fail(cudaErrorInvalidValue, "the node does not exist, or its graph has been destroyed");
}

bool has_edges() {
    int version = 0;
    cudaRuntimeGetVersion(&version);
    return version >= 13000;
}

void refuse_lossy_query() {
    fail(cudaErrorLossyQuery, "an edge is annotated (cudaGraphEdgeData), and the call asks for edges without that");
}

} // namespace sim::cuda::graph

using namespace sim::cuda;

namespace {

using graph::Graph;
using graph::Node;

/// Answers with a list in the API's way: the caller gives room for *count, or asks for the number only.
template <typename Handle>
void give(const std::vector<Handle>& all, Handle* to, size_t* count) {
    if (!count)
        fail(cudaErrorInvalidValue);
    if (!to) {
        *count = all.size();
        return;
    }
    for (size_t i = 0; i < *count; ++i)
        to[i] = i < all.size() ? all[i] : Handle{};
    *count = std::min(*count, all.size());
}

template <typename Wanted>
std::vector<cudaGraphNode_t> nodes_of(const Graph& graph, Wanted wanted) {
    std::vector<cudaGraphNode_t> found;
    for (const auto& node : graph.nodes)
        if (wanted(*node))
            found.push_back(graph::handle_of(node.get()));
    return found;
}

/// The annotations of edges, in the order of `ports`. `to`: nullptr if the caller does not ask for them.
void give_edges(const std::vector<Port>& ports, bool asked, cudaGraphEdgeData* to, size_t count) {
    for (size_t i = 0; i < ports.size() && i < count; ++i) {
        if (asked && !to && ports[i] != Port::complete)
            graph::refuse_lossy_query();
        if (to)
            to[i] = graph::edge_of(ports[i]);
    }
}

cudaError_t add_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                      const cudaGraphEdgeData* data, size_t count) {
    return api("cudaGraphAddDependencies", [&] {
        Graph& owner = graph::graph_of(graph);
        if (count && (!from || !to))
            fail(cudaErrorInvalidValue);
        for (size_t i = 0; i < count; ++i) {
            Node &earlier = graph::node_of(from[i]), &later = graph::node_of(to[i]);
            if (earlier.owner != &owner || later.owner != &owner || &earlier == &later)
                fail(cudaErrorInvalidValue, "a dependency is between two nodes of this graph");
            if (later.on(earlier))
                fail(cudaErrorInvalidValue, "the nodes depend on each other already");
            const Port port = data ? graph::port_of(data[i]) : Port::complete;
            graph::check_port(port, earlier.work, later.work);
            later.after.push_back({&earlier, port});
        }
    });
}

cudaError_t remove_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         const cudaGraphEdgeData* data, size_t count) {
    return api("cudaGraphRemoveDependencies", [&] {
        graph::graph_of(graph);
        if (count && (!from || !to))
            fail(cudaErrorInvalidValue);
        for (size_t i = 0; i < count; ++i) {
            const Node& earlier = graph::node_of(from[i]);
            Node& later = graph::node_of(to[i]);
            const graph::Dependency* on = later.on(earlier);
            if (!on || on->port != (data ? graph::port_of(data[i]) : Port::complete))
                fail(cudaErrorInvalidValue, "there is no such dependency");
            std::erase_if(later.after, [&](const graph::Dependency& other) { return other.node == &earlier; });
        }
    });
}

cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* data,
                      size_t* count) {
    return api("cudaGraphGetEdges", [&] {
        if (!count || !from != !to)
            fail(cudaErrorInvalidValue);
        std::vector<cudaGraphNode_t> earlier, later;
        std::vector<Port> ports;
        for (const auto& node : graph::graph_of(graph).nodes)
            for (const graph::Dependency& on : node->after) {
                earlier.push_back(graph::handle_of(on.node));
                later.push_back(graph::handle_of(node.get()));
                ports.push_back(on.port);
            }
        give_edges(ports, from != nullptr, data, *count);
        size_t room = *count;
        give(earlier, from, &room);
        give(later, to, count);
    });
}

cudaError_t get_dependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data, size_t* count) {
    return api("cudaGraphNodeGetDependencies", [&] {
        if (!count)
            fail(cudaErrorInvalidValue);
        std::vector<cudaGraphNode_t> found;
        std::vector<Port> ports;
        for (const graph::Dependency& on : graph::node_of(node).after) {
            found.push_back(graph::handle_of(on.node));
            ports.push_back(on.port);
        }
        give_edges(ports, nodes != nullptr, data, *count);
        give(found, nodes, count);
    });
}

cudaError_t get_dependents(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* data, size_t* count) {
    return api("cudaGraphNodeGetDependentNodes", [&] {
        if (!count)
            fail(cudaErrorInvalidValue);
        const Node& before = graph::node_of(node);
        std::vector<cudaGraphNode_t> found;
        std::vector<Port> ports;
        for (const auto& other : before.owner->nodes)
            if (const graph::Dependency* on = other->on(before)) {
                found.push_back(graph::handle_of(other.get()));
                ports.push_back(on->port);
            }
        give_edges(ports, nodes != nullptr, data, *count);
        give(found, nodes, count);
    });
}

/// The count in the place of the edges' annotations: the form of CUDA 12.
size_t* count_of(cudaGraphEdgeData* data) {
    return reinterpret_cast<size_t*>(data);
}

} // namespace

ASYNCLAB_API cudaError_t cudaGraphCreate(cudaGraph_t* result, unsigned flags) {
    return api("cudaGraphCreate", [&] {
        if (!result || flags)
            fail(cudaErrorInvalidValue);
        *result = graph::handle_of(std::make_unique<Graph>());
    });
}
ASYNCLAB_API cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
    return api("cudaGraphDestroy", [&] {
        Graph& gone = graph::graph_of(handle);
        const std::lock_guard guard(graph::lock_);
        graph::graphs_.erase(&gone);
    });
}
ASYNCLAB_API cudaError_t cudaGraphClone(cudaGraph_t* result, cudaGraph_t original) {
    return api("cudaGraphClone", [&] {
        if (!result)
            fail(cudaErrorInvalidValue);
        *result = graph::handle_of(std::make_unique<Graph>(graph::graph_of(original)));
    });
}
ASYNCLAB_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* result, cudaGraphNode_t original,
                                                  cudaGraph_t clone) {
    return api("cudaGraphNodeFindInClone", [&] {
        const Node& node = graph::node_of(original);
        Node* found = graph::graph_of(clone).copy_of(*node.owner, &node);
        if (!result || !found)
            fail(cudaErrorInvalidValue);
        *result = graph::handle_of(found);
    });
}
ASYNCLAB_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    return api("cudaGraphDestroyNode", [&] {
        Node* gone = &graph::node_of(handle);
        Graph& owner = *gone->owner;
        for (const auto& node : owner.nodes)
            std::erase_if(node->after, [&](const graph::Dependency& on) { return on.node == gone; });
        std::erase_if(owner.nodes, [&](const auto& node) { return node.get() == gone; });
    });
}

ASYNCLAB_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                  const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                                  size_t count) {
    // CUDA 12 has the count in the fourth place and no data; no address is so small.
    const auto fourth = reinterpret_cast<uintptr_t>(data);
    return fourth && fourth < 4096 ? add_edges(graph, from, to, nullptr, fourth)
                                   : add_edges(graph, from, to, data, count);
}
ASYNCLAB_API cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                                     size_t count) {
    return add_edges(graph, from, to, data, count);
}
ASYNCLAB_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                                     size_t count) {
    const auto fourth = reinterpret_cast<uintptr_t>(data); // see above
    return fourth && fourth < 4096 ? remove_edges(graph, from, to, nullptr, fourth)
                                   : remove_edges(graph, from, to, data, count);
}
ASYNCLAB_API cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* data,
                                                        size_t count) {
    return remove_edges(graph, from, to, data, count);
}

ASYNCLAB_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    return api("cudaGraphGetNodes",
               [&] { give(nodes_of(graph::graph_of(graph), [](const Node&) { return true; }), nodes, count); });
}
ASYNCLAB_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    return api("cudaGraphGetRootNodes", [&] {
        give(nodes_of(graph::graph_of(graph), [](const Node& node) { return node.after.empty(); }), nodes, count);
    });
}
ASYNCLAB_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                           cudaGraphEdgeData* data, size_t* count) {
    return graph::has_edges() ? get_edges(graph, from, to, data, count)
                              : get_edges(graph, from, to, nullptr, count_of(data));
}
ASYNCLAB_API cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                              cudaGraphEdgeData* data, size_t* count) {
    return get_edges(graph, from, to, data, count);
}
ASYNCLAB_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                      cudaGraphEdgeData* data, size_t* count) {
    return graph::has_edges() ? get_dependencies(node, nodes, data, count)
                              : get_dependencies(node, nodes, nullptr, count_of(data));
}
ASYNCLAB_API cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                         cudaGraphEdgeData* data, size_t* count) {
    return get_dependencies(node, nodes, data, count);
}
ASYNCLAB_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                        cudaGraphEdgeData* data, size_t* count) {
    return graph::has_edges() ? get_dependents(node, nodes, data, count)
                              : get_dependents(node, nodes, nullptr, count_of(data));
}
ASYNCLAB_API cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                           cudaGraphEdgeData* data, size_t* count) {
    return get_dependents(node, nodes, data, count);
}
ASYNCLAB_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return api("cudaGraphNodeGetType", [&] {
        if (!type)
            fail(cudaErrorInvalidValue);
        const graph::Work& work = graph::node_of(node).work;
        constexpr cudaGraphNodeType types[] = {
            cudaGraphNodeTypeKernel,    cudaGraphNodeTypeMemcpy,   cudaGraphNodeTypeMemset,
            cudaGraphNodeTypeHost,      cudaGraphNodeTypeGraph,    cudaGraphNodeTypeEmpty,
            cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree};
        const auto* event = std::get_if<graph::EventWork>(&work);
        *type = !event          ? types[work.index()]
                : event->record ? cudaGraphNodeTypeEventRecord
                                : cudaGraphNodeTypeWaitEvent;
    });
}
