#include "sim/cuda/device/streams.h"

#include <algorithm>
#include <utility>

#include "sim/cuda/wire/command.h"

namespace sim::cuda {

using machine::Schedule;

void Clock::join(const Clock& other) {
    for (const auto& [stream, position] : other.seen_)
        set(stream, position);
}

void Clock::set(uint64_t stream, uint64_t position) {
    uint64_t& seen = seen_[stream];
    seen = std::max(seen, position);
}

bool Clock::covers(uint64_t stream, uint64_t position) const {
    const auto found = seen_.find(stream);
    return found != seen_.end() && found->second >= position;
}

Clock Clock::before(uint64_t stream, uint64_t position) const {
    Clock result = *this;
    if (position > 1)
        result.seen_[stream] = position - 1;
    else
        result.seen_.erase(stream);
    return result;
}

Streams::Streams(Schedule schedule, std::function<machine::OperationId()> next_id, Advance advance)
    : schedule_(schedule), next_id_(std::move(next_id)), advance_(std::move(advance)), random_(schedule.seed) {
    add_stream(legacy_stream, false);
}

void Streams::add_stream(uint64_t stream, bool nonblocking) {
    streams_[stream] = {nonblocking, 0, nullptr};
}

void Streams::remove_stream(uint64_t stream) {
    const auto found = streams_.find(stream);
    if (found == streams_.end())
        return;
    if (!found->second.nonblocking && found->second.last)
        orphans_.push_back(found->second.last);
    streams_.erase(found);
}

Operation::Ptr Streams::last(uint64_t stream) const {
    const auto found = streams_.find(stream);
    return found == streams_.end() ? nullptr : found->second.last;
}

Operation::Ptr Streams::last_blocking() const {
    for (const auto& [id, stream] : streams_)
        if (!stream.nonblocking && stream.last && !stream.last->done)
            return stream.last;
    return last(legacy_stream);
}

void Streams::forget_streams() {
    if (host_.size() <= streams_.size() + 64)
        return;
    host_.forget_if([&](uint64_t stream) {
        return !streams_.contains(stream) && !executed_.contains(stream) &&
               std::none_of(pending_.begin(), pending_.end(),
                            [&](const auto& entry) { return entry.second->stream == stream; });
    });
}

Operation::Ptr Streams::issue(uint64_t stream, Issue what) {
    forget_streams();
    Stream& queue = streams_.at(stream);
    auto operation = std::make_shared<Operation>();
    operation->ticket = next_ticket_++;
    operation->stream = stream;
    operation->position = ++queue.position;
    operation->work = std::move(what.work);
    operation->engine = what.engine;
    operation->host_call = what.host_call;
    operation->launch = what.launch;
    operation->site = site_;
    host_spends(2000); // what it costs a host to put something into a stream
    operation->issued = host_time_;

    const Operation::Ptr before = queue.last;
    const auto early = std::exchange(queue.early, {});
    if (!operation->work && before)
        operation->behind = before->launch;
    if (what.launch && what.launch->early && before && before->launch && !host_is_after(*before))
        operation->primaries.push_back({before->launch, Port::triggered});
    const bool before_complete = operation->primaries.empty();
    for (const auto& [marker, port] : early)
        if (what.launch && marker->behind)
            operation->primaries.push_back({marker->behind, port});
    if (!operation->primaries.empty())
        operation->complete = host_;
    const auto follow = [&](const Operation::Ptr& earlier, bool complete = true) {
        if (!earlier)
            return;
        if (complete && !operation->primaries.empty())
            operation->complete.join(earlier->after);
        operation->after.join(earlier->after);
        if (any_staged_)
            operation->without_staged.join(earlier->strictly_after());
        if (!earlier->done || !earlier->finished)
            operation->dependencies.push_back(earlier);
    };
    operation->after.join(host_);
    if (any_staged_)
        operation->without_staged.join(strict_host_);
    follow(before, before_complete);
    for (const auto& [marker, port] : early)
        follow(marker, !what.launch || !marker->behind);
    follow(what.also_after);
    // An operation in the legacy default stream waits for all blocking streams, and they all wait for it.
    if (stream == legacy_stream) {
        for (const auto& [id, other] : streams_)
            if (id != stream && !other.nonblocking)
                follow(other.last);
        for (const Operation::Ptr& last : orphans_)
            follow(last);
        orphans_.clear();
        last_legacy_ = operation;
    } else if (!queue.nonblocking) {
        follow(last_legacy_);
    }
    operation->after.set(stream, operation->position);
    if (any_staged_)
        operation->without_staged.set(stream, operation->position);
    queue.last = operation;
    pending_.emplace(operation->ticket, operation);
    untimed_.push_back(operation);
    if (untimed_.size() > 4 * max_pending)
        assign_times();

    if (schedule_.completion == Schedule::Completion::eager)
        run(operation, Host::goes_on);
    else if (pending_.size() > max_pending)
        run(Operation::Ptr(pending_.begin()->second));
    return operation;
}

void Streams::next_starts_early(uint64_t stream, Operation::Ptr marker, Port port) {
    streams_.at(stream).early.emplace_back(std::move(marker), port);
}

void Streams::host_call_done(uint64_t token) {
    for (const auto& [ticket, operation] : pending_)
        if (operation->host_call == token && operation->calling) {
            const Operation::Ptr alive = operation;
            alive->host_call = 0;
            execute(*alive);
            break;
        }
    blocked_on_ = nullptr;
}

void Streams::host_joins(const Operation::Ptr& operation) {
    if (!operation)
        return;
    host_.join(operation->after);
    if (any_staged_)
        strict_host_.join(operation->strictly_after());
    if (operation->done)
        host_time_ = std::max(host_time_, finish_time(*operation));
    forget_ordered();
}

void Streams::host_joins_blocking() {
    for (const auto& [id, stream] : streams_)
        if (!stream.nonblocking && stream.last)
            host_joins(stream.last);
}

void Streams::host_joins_all() {
    for (const auto& [id, stream] : streams_)
        if (stream.last)
            host_joins(stream.last);
    for (const auto& [stream, earlier] : executed_) // also those of destroyed streams
        if (!earlier.empty())
            host_.set(stream, earlier.back().position);
    any_staged_ = false; // all of them are complete
    forget_ordered();
}

// Without a stream that does not wait for this one, nothing can overtake the copy.
bool Streams::is_staged_late(const Operation& copy) const {
    return std::ranges::any_of(streams_, [&](const auto& entry) {
        return entry.first != copy.stream && (copy.stream != legacy_stream || entry.second.nonblocking);
    });
}

void Streams::host_joins_staged(const Operation::Ptr& operation) {
    if (!any_staged_) {
        if (!is_staged_late(*operation))
            return host_joins(operation);
        any_staged_ = true;
        strict_host_ = host_;
    }
    host_.join(operation->after);
    strict_host_.join(operation->strictly_after().before(operation->stream, operation->position));
    if (operation->done)
        host_time_ = std::max(host_time_, finish_time(*operation));
    forget_ordered();
}

machine::Order Streams::host_access(machine::CallSite site, const Operation::Ptr& during) {
    const Clock& after = during ? during->after : host_;
    machine::Order order = order_after(after, after);
    order.site = site;
    order.by_host = true;
    order.fresh = order.alone = false;
    return order;
}

void Streams::host_has_accessed(machine::OperationId id, const Operation::Ptr& during) {
    if (during) {
        executed_[during->stream].push_back({id, during->position, during});
        return;
    }
    executed_[host_stream].push_back({id, ++host_accesses_, nullptr});
    host_.set(host_stream, host_accesses_);
    if (any_staged_)
        strict_host_.set(host_stream, host_accesses_);
}

bool Streams::all_after(uint64_t stream, uint64_t position) const {
    return std::all_of(pending_.begin(), pending_.end(),
                       [&](const auto& entry) { return entry.second->after.covers(stream, position); });
}

bool Streams::all_after(machine::OperationId id) const {
    for (const auto& [stream, all] : executed_)
        for (const Executed& one : all)
            if (one.id == id)
                return all_after(stream, one.position);
    return true;
}

void Streams::lose(LostWait lost) {
    constexpr size_t remembered = 256;
    if (lost_.size() == remembered)
        lost_.erase(lost_.begin());
    lost_.push_back(std::move(lost));
}

bool Streams::host_is_after(const Operation& operation) const {
    return host_.covers(operation.stream, operation.position);
}

bool Streams::ordered_for_all(uint64_t stream, uint64_t position) const {
    return (any_staged_ ? strict_host_ : host_).covers(stream, position) &&
           std::all_of(pending_.begin(), pending_.end(),
                       [&](const auto& entry) { return entry.second->after.covers(stream, position); });
}

void Streams::forget_ordered() {
    // Future operations are ordered after everything that the host is ordered after; only pending ones may not be.
    for (auto& [stream, all] : executed_) {
        size_t forgotten = 0;
        while (forgotten < all.size() && ordered_for_all(stream, all[forgotten].position))
            ++forgotten;
        all.erase(all.begin(), all.begin() + static_cast<ptrdiff_t>(forgotten));
    }
    std::erase_if(executed_, [](const auto& entry) { return entry.second.empty(); });
    assign_times();
}

void Streams::assign_times() {
    // In the order of issue, whatever order the operations really ran in: so the modelled time is the same in every
    // schedule, and copies and kernels overlap as they would on the device's engines.
    std::deque<Operation::Ptr> later;
    for (const Operation::Ptr& operation : untimed_) {
        const bool known =
            operation->done && std::all_of(operation->dependencies.begin(), operation->dependencies.end(),
                                           [](const auto& earlier) { return earlier->finished; });
        if (!known) {
            later.push_back(operation);
            continue;
        }
        uint64_t start = operation->issued;
        for (const Operation::Ptr& earlier : operation->dependencies)
            start = std::max(start, *earlier->finished);
        if (operation->engine != Engine::none) {
            uint64_t& free = engine_free_[static_cast<size_t>(operation->engine)];
            start = std::max(start, free);
            free = start + operation->duration;
        }
        operation->finished = start + operation->duration;
        operation->dependencies.clear();
    }
    untimed_ = std::move(later);
}

uint64_t Streams::finish_time(Operation& operation) {
    if (!operation.finished)
        assign_times();
    return operation.finished.value_or(host_time_);
}

} // namespace sim::cuda
