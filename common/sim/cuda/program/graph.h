// CUDA graphs on the program's side: nodes with their work and their dependencies, and graphs that are ready to be
// launched. A launch becomes ordinary commands: each chain of nodes gets a stream of its own, and events make streams
// wait for each other, so that two nodes without a path between them are as unordered as work of two streams.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "sim/cuda/program/copies.h"
#include "sim/cuda/program/runtime.h"

namespace sim::cuda::graph {

struct Graph;
struct Node;

// --- work: the operation of a node ---

struct KernelWork {
    Launch launch{};
    std::vector<std::byte> parameters;
    const void* function = nullptr;
};
struct CopyWork {
    Box box;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    const void* site = nullptr; ///< the call in the program that made the node
};
struct FillWork {
    Fill fill{};
};
struct HostWork {
    std::function<void()> function;
    static HostWork of(cudaHostFn_t function, void* data);
};
struct EventWork {
    cudaEvent_t event = nullptr;
    bool record = false; ///< else wait
};
struct ChildWork {
    std::shared_ptr<const Graph> graph;
};
struct Empty {};
/// Memory that a launch allocates, at an address that the node has had from the beginning.
struct AllocateWork {
    uint64_t address = 0, bytes = 0;
};
struct FreeWork {
    uint64_t address = 0;
};
using Work =
    std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, Empty, EventWork, AllocateWork, FreeWork>;

/// The work of a new allocation node.
AllocateWork set_aside(uint64_t bytes);

/// Puts the work into a stream of the device. Not for child graphs. `early`: it is a kernel, and edges of a graph have
/// permitted it to start early.
void issue(const Work& work, uint64_t stream, bool early = false);
/// Puts the work into a stream of the program. In one that is captured, it becomes a node.
void put(cudaStream_t stream, Work work);

// --- graphs ---

struct Dependency {
    Node* node = nullptr;
    Port port =
        Port::complete; ///< another one: both nodes are kernels, and the later one need not wait for the earlier
};

struct Node {
    Graph* owner = nullptr;
    Work work;
    std::vector<Dependency> after; ///< without repetition
    const Dependency* on(const Node& earlier) const;
};

/// Of an edge's annotation. Throws Failure for one that does not exist.
Port port_of(const cudaGraphEdgeData& edge);
cudaGraphEdgeData edge_of(Port port);
/// Throws Failure unless `later` may depend on `earlier` in this way.
void check_port(Port port, const Work& earlier, const Work& later);

struct Graph {
    Graph() = default;
    Graph(const Graph& other);
    std::vector<std::unique_ptr<Node>> nodes; ///< in the order in which they were added
    /// `after` must be nodes of this graph.
    Node* add(Work work, std::span<const Dependency> after);
    Node* copy_of(const Graph& original, const Node* node) const; ///< the node at the same place
};

/// A graph ready to be launched.
class Exec {
  public:
    /// Throws Failure if the dependencies form a cycle. `frees`: cudaGraphInstantiateFlagAutoFreeOnLaunch.
    explicit Exec(const Graph& graph, bool frees = false);
    ~Exec();
    Exec(const Exec&) = delete;
    void launch(uint64_t stream);
    /// The node that a launch in a capturing stream becomes.
    ChildWork as_child() const;
    /// The work of a node of the graph that this was made of; nullptr: it is not one of its nodes.
    Work* work_of(const Node* node);
    /// Takes the work of a graph of the same form. `changed`: the first node that differs in form, if the result is
    /// no success.
    cudaGraphExecUpdateResult update(const Graph& graph, const Node*& changed);

  private:
    struct After {
        size_t step; ///< an earlier one
        Port port = Port::complete;
    };
    struct Step {
        Work work;
        std::vector<After> after;
        size_t chain = 0;
        uint64_t event = 0; ///< recorded behind it, if a step of another chain waits for it
        bool last = true;   ///< nothing waits for it to be complete
    };
    size_t flatten(const Graph& graph, std::span<const After> before, bool child);
    void lay_out();
    void look_at_allocations(uint64_t stream) const; ///< of the launch before
    uint64_t stream_of(size_t chain, uint64_t launched_in) const;

    std::vector<Step> steps_;
    std::unordered_map<const Node*, size_t> step_of_; ///< nodes of the graph itself
    std::vector<const Node*> nodes_;
    Graph form_;                     ///< a copy of the graph, for update()
    std::vector<uint64_t> chains_;   ///< the device's streams
    uint64_t begun_ = 0, ended_ = 0; ///< events
    bool launched_ = false, frees_ = false;
};

// --- handles (runtime/graph.cpp) ---

Graph& graph_of(cudaGraph_t handle);   ///< Throws Failure for a handle that is no graph.
Node& node_of(cudaGraphNode_t handle); ///< The same for nodes,
Exec& exec_of(cudaGraphExec_t handle); ///< and for graphs that are ready.
cudaGraph_t handle_of(std::unique_ptr<Graph> graph);
/// Does the program's version of CUDA know edges that are annotated, where there is no _v2 in a function's name?
bool has_edges();
/// Throws the Failure of a caller who asks for edges without their annotations, when one is not ordinary.
[[noreturn]] void refuse_lossy_query();
inline cudaGraph_t handle_of(Graph& graph) {
    return reinterpret_cast<cudaGraph_t>(&graph);
}
inline cudaGraphNode_t handle_of(Node* node) {
    return reinterpret_cast<cudaGraphNode_t>(node);
}

// --- how the other functions of the runtime make work ---

/// runtime/launch.cpp. Throws Failure for a launch that cannot be.
KernelWork kernel_work(const void* function, dim3 grid, dim3 block, size_t shared, void** arguments);
/// runtime/copy.cpp
Box box_of(const cudaMemcpy3DParms& parameters);

} // namespace sim::cuda::graph
