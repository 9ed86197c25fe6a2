// When operations run, and which others run beside a kernel that waits.
#include <algorithm>

#include "sim/cuda/device/streams.h"

namespace sim::cuda {

using machine::Schedule;

namespace {

constexpr uint32_t patience = 1000;  // queries for kernels that wait for the host
constexpr uint32_t long_enough = 16; // times that kernels are busy before a host that need not wait goes on

} // namespace

bool Streams::ready(const Operation& operation) const {
    return !operation.host_call && !operation.begun &&
           std::all_of(operation.dependencies.begin(), operation.dependencies.end(),
                       [](const Operation::Ptr& earlier) { return earlier->done; });
}

bool Streams::run(const Operation::Ptr& target, Host host) {
    // Depth first without recursion: chains are as long as queues. Among the operations that must run, the one issued
    // last runs first wherever nothing orders it, because that exposes a missing event or wait.
    std::vector<Operation::Ptr> stack{target};
    blocked_on_ = nullptr;
    while (!stack.empty()) {
        const Operation::Ptr operation = stack.back();
        if (operation->done) {
            stack.pop_back();
            continue;
        }
        Operation::Ptr next;
        for (const auto& earlier : operation->dependencies)
            if (!earlier->done && (!next || earlier->ticket > next->ticket))
                next = earlier;
        if (next) {
            stack.push_back(next);
            continue;
        }
        if (operation->host_call) {
            blocked_on_ = operation;
            return false;
        }
        if (!operation->begun)
            execute(*operation);
        else if (stalled_ && host == Host::goes_on)
            return false;
        if (finish(operation, host) != Outcome::done)
            return false;
        stack.pop_back();
    }
    return true;
}

bool Streams::run_all(Host host) {
    while (!pending_.empty())
        if (!run(Operation::Ptr(pending_.rbegin()->second), host))
            return false;
    return true;
}

bool Streams::step(const Operation::Ptr& target) {
    Operation::Ptr operation = target;
    if (!operation) {
        if (pending_.empty())
            return true;
        operation = pending_.rbegin()->second;
    }
    while (!operation->done) {
        const auto earlier = std::find_if(operation->dependencies.begin(), operation->dependencies.end(),
                                          [](const Operation::Ptr& dependency) { return !dependency->done; });
        if (earlier != operation->dependencies.end()) {
            operation = Operation::Ptr(*earlier);
            continue;
        }
        if (operation->host_call) {
            blocked_on_ = operation;
            return false;
        }
        const bool marker = !operation->work && !operation->begun;
        if (!operation->begun)
            execute(*operation);
        // A program that asks for ever does not help the kernels that wait for it.
        const Outcome outcome = finish(operation, asked_in_vain_ < patience ? Host::goes_on : Host::waits);
        if (outcome == Outcome::host_call)
            return false;
        if (outcome == Outcome::stalled)
            ++asked_in_vain_;
        if (!marker || operation == target)
            break;
        operation = target ? target : operation;
    }
    return true;
}

std::vector<Operation::Ptr> Streams::candidates() const {
    std::vector<Operation::Ptr> found;
    for (const auto& [ticket, operation] : pending_)
        if (ready(*operation))
            found.push_back(operation);
    return found;
}

void Streams::drift() {
    if (schedule_.completion != Schedule::Completion::random)
        return;
    while (!pending_.empty() && random_() % 3 == 0) {
        const auto ready = candidates();
        const size_t choice = ready.empty() && running_.empty() ? 0 : random_() % (ready.size() + !running_.empty());
        if (choice < ready.size())
            execute(*ready[choice]);
        else if (running_.empty() || stalled_)
            return;
        if (!running_.empty() && advance(false) == machine::Pause::stalled)
            stalled_ = true;
    }
}

bool Streams::let_in(bool kernels_only) {
    auto ready = candidates();
    if (kernels_only)
        std::erase_if(ready, [](const Operation::Ptr& operation) { return !operation->launch; });
    if (ready.empty())
        return false;
    const bool at_random = schedule_.completion == Schedule::Completion::random;
    execute(*ready[at_random ? random_() % ready.size() : 0]);
    return true;
}

bool Streams::host_call_due() {
    for (const auto& [ticket, operation] : pending_)
        if (operation->host_call && std::all_of(operation->dependencies.begin(), operation->dependencies.end(),
                                                [](const Operation::Ptr& earlier) { return earlier->done; })) {
            blocked_on_ = operation;
            return true;
        }
    return false;
}

machine::Pause Streams::advance(bool give_up) {
    const Progress progress = advance_(give_up);
    if (progress.pause == machine::Pause::ended)
        if (const auto found = running_.find(progress.ended); found != running_.end()) {
            const Operation::Ptr operation = found->second;
            operation->duration = progress.duration;
            running_.erase(found);
            ended(*operation);
        }
    return progress.pause;
}

Streams::Outcome Streams::finish(const Operation::Ptr& operation, Host host) {
    const bool at_random = schedule_.completion == Schedule::Completion::random;
    bool give_up = false;
    uint32_t busy = 0;
    while (!operation->done)
        switch (advance(give_up)) {
        case machine::Pause::ended:
            break;
        case machine::Pause::busy: // the host's copies can wait; kernels of other streams would run
            if (let_in(!at_random) || host == Host::waits || ++busy < long_enough)
                break;
            stalled_ = true; // perhaps it loops until the host does something
            return Outcome::stalled;
        case machine::Pause::stalled:
            if (let_in(false))
                break;
            stalled_ = true;
            if (host_call_due())
                return Outcome::host_call;
            if (host == Host::goes_on)
                return Outcome::stalled;
            give_up = true;
        }
    return Outcome::done;
}

machine::Order Streams::order_after(const Clock& after, const Clock& strictly_after) const {
    machine::Order order;
    for (const auto& [stream, earlier] : executed_)
        for (auto it = earlier.rbegin(); it != earlier.rend() && !strictly_after.covers(stream, it->position); ++it) {
            order.unordered.push_back(it->id);
            if (after.covers(stream, it->position))
                order.staged.push_back(it->id);
        }
    std::sort(order.unordered.begin(), order.unordered.end());
    std::sort(order.staged.begin(), order.staged.end());
    return order;
}

void Streams::find_lost_waits(const Operation& operation, machine::Order& order) const {
    const auto precedes = [](const Operation& one, const Operation::Ptr& later) {
        return !later || later->after.covers(one.stream, one.position);
    };
    const auto look_at = [&](const Executed& earlier) {
        for (auto lost = lost_.rbegin(); lost != lost_.rend(); ++lost) {
            const Operation &other = *earlier.operation, &wait = *lost->wait;
            const bool one_way = operation.after.covers(wait.stream, wait.position) && precedes(other, lost->record);
            const bool other_way = other.after.covers(wait.stream, wait.position) && precedes(operation, lost->record);
            if (!one_way && !other_way)
                continue;
            order.lost_waits.push_back(
                {earlier.id, lost->why, wait.site, lost->record ? lost->record->site : 0, lost->again});
            return;
        }
    };
    for (const auto& [stream, all] : executed_)
        for (const Executed& earlier : all)
            if (earlier.operation && std::ranges::binary_search(order.unordered, earlier.id))
                look_at(earlier);
}

machine::Order Streams::order_of(const Operation& operation) const {
    machine::Order order = order_after(operation.after, any_staged_ ? operation.strictly_after() : operation.after);
    order.site = operation.site;
    if (!lost_.empty() && !order.unordered.empty())
        find_lost_waits(operation, order);
    order.fresh = executed_.empty();
    order.alone = streams_.size() == 1;
    if (!operation.primaries.empty())
        find_unwaited(operation, order);
    return order;
}

/// The launch starts when each block of its primaries has triggered it or has ended (Port::begun: has begun). By then a
/// primary itself need not be complete, nor what it has to wait for, unless it has waited before that.
void Streams::find_unwaited(const Operation& operation, machine::Order& order) const {
    using Member = DependentLaunch::Member;
    std::vector<Member>& unwaited = operation.launch->unwaited;
    const auto add = [&](const std::vector<Member>& members, bool passed_on) {
        for (const Member& one : members) {
            const bool known =
                std::any_of(unwaited.begin(), unwaited.end(), [&](const Member& other) { return other.id == one.id; });
            if (known || operation.complete.covers(one.stream, one.position))
                continue;
            unwaited.push_back(one);
            order.until_wait.push_back(one.id);
            if (passed_on)
                order.passed_on.push_back(one.id);
        }
    };
    for (const auto& [primary, port] : operation.primaries)
        if (port == Port::begun || primary->triggered)
            add(primary->members, false);
    for (const auto& [primary, port] : operation.primaries)
        if (port == Port::begun || !primary->triggered_after_wait)
            add(primary->unwaited, true);
    std::sort(order.passed_on.begin(), order.passed_on.end());
    std::sort(order.until_wait.begin(), order.until_wait.end());
}

void Streams::execute(Operation& operation) {
    const Operation::Ptr alive = pending_.at(operation.ticket);
    stalled_ = false;
    asked_in_vain_ = 0;
    if (!operation.work)
        return ended(operation);
    const machine::OperationId first = next_id_();
    const std::optional<uint64_t> duration = operation.work(order_of(operation));
    operation.work = nullptr;
    for (machine::OperationId id = first; id != next_id_(); ++id) {
        executed_[operation.stream].push_back({id, operation.position, alive});
        if (operation.launch)
            operation.launch->members.push_back({id, operation.stream, operation.position});
    }
    if (duration) {
        operation.duration = *duration;
        return ended(operation);
    }
    operation.begun = true;
    running_.emplace(first, alive);
}

void Streams::ended(Operation& operation) {
    const Operation::Ptr alive = pending_.at(operation.ticket);
    operation.primaries.clear();
    operation.complete = {};
    stalled_ = false;
    operation.done = true;
    pending_.erase(operation.ticket);
}

} // namespace sim::cuda
