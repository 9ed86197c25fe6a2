#include "sim/cuda/program/graph.h"

#include <algorithm>
#include <cstring>

#include "sim/cuda/program/failed_calls.h"

namespace sim::cuda::graph {

namespace {

/// A host side that is pageable memory is read and written when the copy's turn comes, by a function in the stream.
void issue_copy(const CopyWork& work, uint64_t stream) {
    Runtime& runtime = Runtime::get();
    const Box& box = work.box;
    const AddressKind destination = place_of(box.destination), source = place_of(box.source);
    if (destination != AddressKind::device && source != AddressKind::device) {
        runtime.host_call(stream, [box] {
            each_row(box,
                     [&](uint64_t to, uint64_t from) { std::memmove(to_pointer(to), to_pointer(from), box.width); });
        });
        return;
    }
    if (source != AddressKind::pageable && destination != AddressKind::pageable) {
        copy_without_staging(box, stream, work.site);
        return;
    }
    const uint64_t block = runtime.arena().allocate(box.width * box.height * box.depth);
    if (!block)
        fail(cudaErrorMemoryAllocation, "no room to stage a copy of a graph");
    if (source == AddressKind::pageable) {
        runtime.host_call(stream, [box, block] {
            uint64_t next = block;
            each_row(box, [&](uint64_t, uint64_t from) {
                std::memcpy(to_pointer(next), to_pointer(from), box.width);
                next += box.width;
            });
        });
        copy_from_staging(box, block, stream);
        return;
    }
    copy_to_staging(box, block, stream);
    runtime.host_call(stream, [box, block] {
        uint64_t next = block;
        each_row(box, [&](uint64_t to, uint64_t) {
            std::memcpy(to_pointer(to), to_pointer(next), box.width);
            next += box.width;
        });
        Runtime::get().arena().release(block);
    });
}

struct Issuer {
    uint64_t stream;
    bool early;
    void operator()(const KernelWork& work) const {
        Runtime& runtime = Runtime::get();
        Launch launch = work.launch;
        launch.stream = stream;
        launch.watch = runtime.shares_memory();
        if (early)
            launch.programmatic = 2;
        const uint64_t ticket = runtime.call(launch, std::span<const std::byte>(work.parameters)).result.ticket;
        if (launch.watch) {
            runtime.watch_kernel(ticket, work.parameters);
            runtime.expect_progress();
        }
    }
    void operator()(const CopyWork& work) const { issue_copy(work, stream); }
    void operator()(const FillWork& work) const {
        Runtime& runtime = Runtime::get();
        Fill fill = work.fill;
        fill.stream = stream;
        fill.watch = place_of(fill.destination) == AddressKind::pinned;
        const uint64_t ticket = runtime.call(fill).result.ticket;
        if (fill.watch)
            runtime.watch_shared(ticket, fill.destination);
    }
    void operator()(const HostWork& work) const { Runtime::get().host_call(stream, work.function); }
    void operator()(const EventWork& work) const {
        Runtime& runtime = Runtime::get();
        const uint64_t event = runtime.event(work.event).id;
        if (work.record)
            runtime.call(RecordEvent{event, stream});
        else
            runtime.call(StreamWaitEvent{stream, event});
    }
    void operator()(const AllocateWork& work) const {
        Runtime& runtime = Runtime::get();
        runtime.call(AllocateAsync{stream, work.bytes, work.address});
        Allocation made{Allocation::Kind::device, work.address, work.bytes, 0, 0, 0, 0};
        made.in_stream_order = true;
        runtime.add(made);
    }
    void operator()(const FreeWork& work) const {
        Runtime& runtime = Runtime::get();
        Allocation gone;
        if (!runtime.remove(work.address, gone))
            fail(cudaErrorInvalidValue, "the memory of a free node of the graph is not allocated");
        runtime.call(FreeAsync{stream, work.address});
    }
    void operator()(const ChildWork&) const {}
    void operator()(const Empty&) const {}
};

} // namespace

HostWork HostWork::of(cudaHostFn_t function, void* data) {
    return {
        [function, data] { run_program_function(reinterpret_cast<const void*>(function), [&] { function(data); }); }};
}

AllocateWork set_aside(uint64_t bytes) {
    if (!bytes)
        fail(cudaErrorInvalidValue, "an allocation of 0 bytes");
    return {Runtime::get().call(Allocate{bytes}).result.address, bytes};
}

void issue(const Work& work, uint64_t stream, bool early) {
    std::visit(Issuer{stream, early}, work);
}

// --- Graph ---

Graph::Graph(const Graph& other) {
    std::unordered_map<const Node*, Node*> copies;
    for (const auto& node : other.nodes)
        copies[node.get()] = nodes.emplace_back(std::make_unique<Node>(Node{this, node->work, {}})).get();
    for (const auto& node : other.nodes)
        for (const Dependency& earlier : node->after)
            copies[node.get()]->after.push_back({copies[earlier.node], earlier.port});
}

Node* Graph::add(Work work, std::span<const Dependency> after) {
    auto node = std::make_unique<Node>(Node{this, std::move(work), {}});
    for (const Dependency& earlier : after) {
        if (!earlier.node || earlier.node->owner != this)
            fail(cudaErrorInvalidValue, "a dependency is not a node of this graph");
        if (node->on(*earlier.node))
            fail(cudaErrorInvalidValue, "a dependency is listed twice");
        check_port(earlier.port, earlier.node->work, node->work);
        node->after.push_back(earlier);
    }
    return nodes.emplace_back(std::move(node)).get();
}

const Dependency* Node::on(const Node& earlier) const {
    const auto found = std::ranges::find(after, &earlier, &Dependency::node);
    return found == after.end() ? nullptr : &*found;
}

// --- edges ---

Port port_of(const cudaGraphEdgeData& edge) {
    const bool programmatic = edge.type == cudaGraphDependencyTypeProgrammatic;
    const bool from_begin_or_trigger = edge.from_port == cudaGraphKernelNodePortProgrammatic ||
                                       edge.from_port == cudaGraphKernelNodePortLaunchCompletion;
    if (edge.to_port || edge.type > cudaGraphDependencyTypeProgrammatic || programmatic != from_begin_or_trigger ||
        edge.from_port > cudaGraphKernelNodePortLaunchCompletion)
        fail(cudaErrorInvalidValue,
             "an edge is ordinary (all fields are 0), or of the type cudaGraphDependencyTypeProgrammatic from "
             "cudaGraphKernelNodePortProgrammatic or cudaGraphKernelNodePortLaunchCompletion");
    return Port(edge.from_port);
}

cudaGraphEdgeData edge_of(Port port) {
    cudaGraphEdgeData edge{};
    edge.from_port = static_cast<unsigned char>(port);
    edge.type = port == Port::complete ? cudaGraphDependencyTypeDefault : cudaGraphDependencyTypeProgrammatic;
    return edge;
}

void check_port(Port port, const Work& earlier, const Work& later) {
    if (port != Port::complete &&
        (!std::holds_alternative<KernelWork>(earlier) || !std::holds_alternative<KernelWork>(later)))
        fail(cudaErrorInvalidValue, "a programmatic dependency is between two kernel nodes");
}

Node* Graph::copy_of(const Graph& original, const Node* node) const {
    for (size_t i = 0; i < original.nodes.size() && i < nodes.size(); ++i)
        if (original.nodes[i].get() == node)
            return nodes[i].get();
    return nullptr;
}

// --- Exec ---

Exec::Exec(const Graph& graph, bool frees) : form_(graph), frees_(frees) {
    flatten(graph, {}, false);
    for (const auto& node : graph.nodes)
        nodes_.push_back(node.get());
    lay_out();
    Runtime& runtime = Runtime::get();
    for (size_t i = 1; i < chains_.size(); ++i)
        chains_[i] = runtime.call(CreateStream{1, 0}).result.stream;
    for (Step& step : steps_)
        if (step.event)
            step.event = runtime.call(CreateEvent{0}).result.event;
    begun_ = runtime.call(CreateEvent{0}).result.event;
    ended_ = runtime.call(CreateEvent{0}).result.event;
}

Exec::~Exec() {
    Runtime& runtime = Runtime::get();
    try {
        for (size_t i = 1; i < chains_.size(); ++i)
            runtime.call(DestroyStream{chains_[i]}); // pending operations still run
        for (const Step& step : steps_)
            if (step.event)
                runtime.call(DestroyEvent{step.event});
        runtime.call(DestroyEvent{begun_});
        runtime.call(DestroyEvent{ended_});
    } catch (const Failure&) { // the device is lost, and the streams with it
    }
}

/// Adds the graph's nodes behind the steps `before`. Returns the step behind all of them, for a child graph.
size_t Exec::flatten(const Graph& graph, std::span<const After> before, bool child) {
    std::unordered_map<const Node*, size_t> done;
    std::vector<const Node*> waiting;
    for (const auto& node : graph.nodes)
        waiting.push_back(node.get());
    while (!waiting.empty()) {
        const size_t left = waiting.size();
        std::erase_if(waiting, [&](const Node* node) {
            if (!std::ranges::all_of(node->after, [&](const Dependency& on) { return done.contains(on.node); }))
                return false;
            std::vector<After> after;
            for (const Dependency& on : node->after)
                after.push_back({done[on.node], on.port});
            if (after.empty())
                after.assign(before.begin(), before.end());
            if (const auto* inner = std::get_if<ChildWork>(&node->work)) {
                done[node] = flatten(*inner->graph, after, true);
            } else {
                steps_.push_back({node->work, std::move(after)});
                done[node] = steps_.size() - 1;
            }
            step_of_[node] = done[node];
            return true;
        });
        if (waiting.size() == left)
            fail(cudaErrorInvalidValue, "the dependencies of the graph form a cycle");
    }
    if (!child)
        return 0;
    Step all{Empty{}, {before.begin(), before.end()}};
    for (const auto& node : graph.nodes)
        all.after.push_back({done[node.get()]});
    steps_.push_back(std::move(all));
    return steps_.size() - 1;
}

/// Chain 0 is the stream of the launch. A step goes on with the chain of something that must be complete before it, if
/// nothing else has, or begins one of its own.
void Exec::lay_out() {
    std::vector<size_t> ends; // the last step of each chain
    chains_.assign(1, 0);
    ends.assign(1, SIZE_MAX);
    for (size_t i = 0; i < steps_.size(); ++i) {
        Step& step = steps_[i];
        const auto free = std::ranges::find_if(step.after, [&](const After& on) {
            return on.port == Port::complete && ends[steps_[on.step].chain] == on.step;
        });
        if (free != step.after.end()) {
            step.chain = steps_[free->step].chain;
        } else if (step.after.empty() && ends[0] == SIZE_MAX) {
            step.chain = 0;
        } else {
            step.chain = chains_.size();
            chains_.push_back(0);
            ends.push_back(SIZE_MAX);
        }
        ends[step.chain] = i;
        for (const After& on : step.after) {
            Step& earlier = steps_[on.step];
            earlier.last = earlier.last && on.port != Port::complete;
            if (earlier.chain != step.chain)
                earlier.event = 1;
        }
    }
    for (Step& step : steps_)
        if (step.last && step.chain)
            step.event = 1;
}

uint64_t Exec::stream_of(size_t chain, uint64_t launched_in) const {
    return chain ? chains_[chain] : launched_in;
}

// What a launch has allocated and nothing has freed must be freed before the next one.
void Exec::look_at_allocations(uint64_t stream) const {
    Runtime& runtime = Runtime::get();
    for (const Step& step : steps_) {
        const auto* made = std::get_if<AllocateWork>(&step.work);
        Allocation left;
        if (!made || !runtime.find(made->address, left))
            continue;
        if (!frees_)
            fail(cudaErrorInvalidValue,
                 "memory that the launch before has allocated is not freed (cudaGraphInstantiateFlagAutoFreeOnLaunch "
                 "frees it)");
        issue(FreeWork{made->address}, stream);
    }
}

void Exec::launch(uint64_t stream) {
    Runtime& runtime = Runtime::get();
    look_at_allocations(stream);
    // "Each launch of the graph is ordered behind any previous work in the stream and any previous launches of the
    // graph."
    if (launched_)
        runtime.call(StreamWaitEvent{stream, ended_});
    if (chains_.size() > 1)
        runtime.call(RecordEvent{begun_, stream});
    for (const Step& step : steps_) {
        const uint64_t in = stream_of(step.chain, stream);
        if (step.after.empty() && step.chain)
            runtime.call(StreamWaitEvent{in, begun_});
        for (const After& on : step.after)
            if (steps_[on.step].chain != step.chain)
                runtime.call(StreamWaitEvent{in, steps_[on.step].event, on.port});
        issue(step.work, in,
              std::ranges::any_of(step.after, [](const After& on) { return on.port != Port::complete; }));
        if (step.event)
            runtime.call(RecordEvent{step.event, in});
    }
    for (const Step& step : steps_)
        if (step.last && step.chain)
            runtime.call(StreamWaitEvent{stream, step.event});
    runtime.call(RecordEvent{ended_, stream});
    launched_ = true;
}

Work* Exec::work_of(const Node* node) {
    const bool own = std::ranges::find(nodes_, node) != nodes_.end();
    return own && step_of_.contains(node) ? &steps_[step_of_[node]].work : nullptr;
}

ChildWork Exec::as_child() const {
    auto child = std::make_shared<Graph>(form_);
    for (size_t i = 0; i < nodes_.size(); ++i) // their work may have been changed
        if (!std::holds_alternative<ChildWork>(child->nodes[i]->work))
            child->nodes[i]->work = steps_[step_of_.at(nodes_[i])].work;
    return {std::move(child)};
}

cudaGraphExecUpdateResult Exec::update(const Graph& graph, const Node*& changed) {
    changed = nullptr;
    if (graph.nodes.size() != form_.nodes.size())
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node &now = *graph.nodes[i], &then = *form_.nodes[i];
        changed = &now;
        if (now.work.index() != then.work.index())
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (std::holds_alternative<ChildWork>(now.work))
            return cudaGraphExecUpdateErrorNotSupported;
        if (now.after.size() != then.after.size())
            return cudaGraphExecUpdateErrorTopologyChanged;
        for (size_t k = 0; k < now.after.size(); ++k)
            if (form_.copy_of(graph, now.after[k].node) != then.after[k].node ||
                now.after[k].port != then.after[k].port)
                return cudaGraphExecUpdateErrorTopologyChanged;
    }
    for (size_t i = 0; i < graph.nodes.size(); ++i)
        steps_[step_of_.at(nodes_[i])].work = graph.nodes[i]->work;
    changed = nullptr;
    return cudaGraphExecUpdateSuccess;
}

} // namespace sim::cuda::graph
