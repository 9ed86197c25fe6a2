// Commands about streams, events and waiting.
#include "sim/cuda/error_code.h"
#include "sim/cuda/service.h"

namespace sim::cuda {

void Service::create_stream(const CreateStream& body, std::span<const std::byte>, Reply& reply) {
    reply.values[0] = new_id();
    timeline_.add_stream(reply.values[0], body.nonblocking != 0);
}

void Service::destroy_stream(const DestroyStream& body, std::span<const std::byte>, Reply&) {
    check_stream(body.stream);
    if (body.stream == legacy_stream)
        throw Refused{error::invalid_resource_handle, "the default stream cannot be destroyed"};
    timeline_.remove_stream(body.stream);
}

void Service::create_event(const CreateEvent& body, std::span<const std::byte>, Reply& reply) {
    reply.values[0] = new_id();
    events_.emplace(reply.values[0], Event{body.timing != 0, nullptr});
}

void Service::destroy_event(const DestroyEvent& body, std::span<const std::byte>, Reply&) {
    event(body.event);
    events_.erase(body.event);
}

void Service::record_event(const RecordEvent& body, std::span<const std::byte>, Reply&) {
    check_stream(body.stream);
    Event& recorded = event(body.event);
    recorded.recorded = timeline_.issue(body.stream, {});
}

void Service::stream_wait_event(const StreamWaitEvent& body, std::span<const std::byte>, Reply&) {
    check_stream(body.stream);
    // "If cudaEventRecord() has not been called on event, then this call acts as if the record has already completed."
    const Operation::Ptr recorded = event(body.event).recorded;
    if (!recorded)
        return;
    Timeline::Issue issue;
    issue.also_after = recorded;
    timeline_.issue(body.stream, std::move(issue));
}

void Service::host_call(const HostCall& body, std::span<const std::byte>, Reply& reply) {
    check_stream(body.stream);
    if (!body.token)
        throw Refused{error::invalid_value, "a host call needs a token"};
    Timeline::Issue issue;
    issue.host_call = body.token;
    reply.values[0] = timeline_.issue(body.stream, std::move(issue))->ticket;
}

void Service::host_call_done(const HostCallDone& body, std::span<const std::byte>, Reply&) {
    timeline_.host_call_done(body.token);
}

Operation::Ptr Service::target_operation(Target target, uint64_t what) {
    switch (target) {
    case Target::stream:
        check_stream(what);
        // Waiting for the default stream waits for all blocking streams, as work put into it would.
        return what == legacy_stream ? timeline_.issue(what, {}) : timeline_.last(what);
    case Target::event:
        return event(what).recorded;
    case Target::device:
        return nullptr;
    }
    throw Refused{error::invalid_value, "unknown target"};
}

void Service::query(const Query& body, std::span<const std::byte>, Reply& reply) {
    if (body.target == Target::device || body.target > Target::device)
        throw Refused{error::invalid_value, "unknown target"};
    // Polling the default stream must not put more work into it.
    const Operation::Ptr operation = body.target == Target::stream && body.what == legacy_stream
                                         ? timeline_.last_blocking()
                                         : target_operation(body.target, body.what);
    reply.values[0] = !operation || operation->done;
    if (!operation)
        return;
    if (operation->done && body.target == Target::stream && body.what == legacy_stream)
        timeline_.host_joins_blocking();
    else if (operation->done)
        timeline_.host_joins(operation);   // who sees it complete is ordered after it
    else if (!timeline_.step(operation)) { // polling makes progress
        const Operation::Ptr call = timeline_.host_call();
        reply.values[1] = call->calling ? 0 : call->host_call;
        hand_out(call);
    }
}

void Service::wait(const Wait& body, std::span<const std::byte>, Reply& reply) {
    const Operation::Ptr operation = body.target == Target::device ? nullptr : target_operation(body.target, body.what);
    if (body.target != Target::device && !operation)
        return;
    const bool complete = operation ? timeline_.run(operation) : timeline_.run_all();
    if (complete) {
        if (body.background)
            return;
        if (operation)
            timeline_.host_joins(operation);
        else
            timeline_.host_joins_all();
        return;
    }
    const Operation::Ptr call = timeline_.host_call();
    reply.values[0] = call->calling ? 2 : 1;
    reply.values[1] = call->host_call;
    hand_out(call);
}

void Service::hand_out(const Operation::Ptr& call) {
    call->calling = true;
    // The program's function runs after all that precedes it in its stream, and may tell other threads so in ways that
    // we cannot see.
    timeline_.host_joins(call);
}

void Service::elapsed(const Elapsed& body, std::span<const std::byte>, Reply& reply) {
    const Event& first = event(body.first);
    const Event& second = event(body.second);
    if (!first.timing || !second.timing || !first.recorded || !second.recorded)
        throw Refused{error::invalid_resource_handle,
                      "both events must have been recorded, and created without cudaEventDisableTiming"};
    if (!first.recorded->done || !second.recorded->done)
        throw Refused{error::not_ready, "an event has not completed: synchronise with it first"};
    reply.values[0] = timeline_.finish_time(*second.recorded) - timeline_.finish_time(*first.recorded);
}

} // namespace sim::cuda
