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
    const std::lock_guard guard(lock_);
    const auto found = graphs_.find(reinterpret_cast<const Graph*>(handle));
    if (found == graphs_.end())
        fail(cudaErrorInvalidValue, "the graph does not exist (never created, or destroyed)");
    return *found->second;
}

Node& node_of(cudaGraphNode_t handle) {
    const auto* wanted = reinterpret_cast<const Node*>(handle);
    const std::lock_guard guard(lock_);
    for (const auto& [key, graph] : graphs_)
        for (const auto& node : graph->nodes)
            if (node.get() == wanted)
                return *node;
    fail(cudaErrorInvalidValue, "the node does not exist, or its graph has been destroyed");
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

void give_edges(cudaGraphEdgeData* to, const size_t* count) {
    for (size_t i = 0; to && count && i < *count; ++i)
        to[i] = {};
}

void check_edges(const cudaGraphEdgeData* data, size_t count) {
    for (size_t i = 0; data && i < count; ++i)
        if (data[i].from_port || data[i].to_port || data[i].type != cudaGraphDependencyTypeDefault)
            fail(cudaErrorNotSupported,
                 "programmatic dependencies in graphs are not supported by the simulated device");
}

cudaError_t add_edges(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                      const cudaGraphEdgeData* data, size_t count) {
    return api("cudaGraphAddDependencies", [&] {
        Graph& owner = graph::graph_of(graph);
        if (count && (!from || !to))
            fail(cudaErrorInvalidValue);
        check_edges(data, count);
        for (size_t i = 0; i < count; ++i) {
            Node &earlier = graph::node_of(from[i]), &later = graph::node_of(to[i]);
            if (earlier.owner != &owner || later.owner != &owner || &earlier == &later)
                fail(cudaErrorInvalidValue, "a dependency is between two nodes of this graph");
            if (std::ranges::find(later.after, &earlier) != later.after.end())
                fail(cudaErrorInvalidValue, "the nodes depend on each other already");
            later.after.push_back(&earlier);
        }
    });
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
            std::erase(node->after, gone);
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
    return api("cudaGraphRemoveDependencies", [&] {
        graph::graph_of(graph);
        const auto fourth = reinterpret_cast<uintptr_t>(data);
        const size_t edges = fourth && fourth < 4096 ? fourth : count; // see above
        for (size_t i = 0; i < edges; ++i)
            if (!std::erase(graph::node_of(to[i]).after, &graph::node_of(from[i])))
                fail(cudaErrorInvalidValue, "there is no such dependency");
    });
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
    return api("cudaGraphGetEdges", [&] {
        if (!count || !from != !to)
            fail(cudaErrorInvalidValue);
        std::vector<cudaGraphNode_t> earlier, later;
        for (const auto& node : graph::graph_of(graph).nodes)
            for (Node* before : node->after) {
                earlier.push_back(graph::handle_of(before));
                later.push_back(graph::handle_of(node.get()));
            }
        size_t room = *count;
        give(earlier, from, &room);
        give(later, to, count);
        if (from)
            give_edges(data, count);
    });
}
ASYNCLAB_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                      cudaGraphEdgeData* data, size_t* count) {
    return api("cudaGraphNodeGetDependencies", [&] {
        std::vector<cudaGraphNode_t> found;
        for (Node* before : graph::node_of(node).after)
            found.push_back(graph::handle_of(before));
        give(found, nodes, count);
        if (nodes)
            give_edges(data, count);
    });
}
ASYNCLAB_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                        cudaGraphEdgeData* data, size_t* count) {
    return api("cudaGraphNodeGetDependentNodes", [&] {
        Node* before = &graph::node_of(node);
        give(nodes_of(*before->owner,
                      [&](const Node& other) { return std::ranges::find(other.after, before) != other.after.end(); }),
             nodes, count);
        if (nodes)
            give_edges(data, count);
    });
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
