// The host's waits, and the functions of the program that streams call meanwhile.
#include "sim/cuda/device/gpu/real_gpu.h"
#include "sim/cuda/device/service.h"

namespace sim::cuda {

// --- HostCall, HostCallDone ---

template <>
Ticket Service::carry_out(const HostCall& call, Payload, Reply&) {
    check_stream(call.stream);
    if (!call.token)
        throw Refused{error::invalid_value, "a host call needs a token"};
    Streams::Issue issue;
    issue.host_call = call.token;
    return {streams_.issue(call.stream, std::move(issue))->ticket};
}

template <>
Ticket RealGpu::carry_out(const HostCall& call, Payload, Reply&) {
    if (!call.token)
        throw Refused{error::invalid_value, "a host call needs a token"};
    auto due = std::make_unique<gpu::HostCalls::Due>(gpu::HostCalls::Due{host_calls_, call.token});
    checked(cu_.cuLaunchHostFunc(stream(call.stream), gpu::HostCalls::run, due.get()), "cudaLaunchHostFunc");
    due.release();
    return {new_id()};
}

template <>
void Service::carry_out(const HostCallDone& call, Payload, Reply&) {
    calling_.erase(call.token);
    streams_.host_call_done(call.token);
}

template <>
void RealGpu::carry_out(const HostCallDone& call, Payload, Reply&) {
    host_calls_->finished(call.token);
}

void Service::hand_out(const Operation::Ptr& call, Reply& reply) {
    call->calling = true;
    calling_[call->host_call] = call;
    // What comes after it in stream order is not under way.
    for (const Watch& watch : watched_)
        if (watch.operation != call && watch.operation->after.covers(call->stream, call->position) &&
            reply.payload.size() + sizeof watch.operation->ticket <= max_payload)
            reply.payload.append(reinterpret_cast<const char*>(&watch.operation->ticket),
                                 sizeof watch.operation->ticket);
    // The program's function runs after all that precedes it in its stream, and may signal other threads in ways that
    // we cannot observe.
    streams_.host_joins(call);
}

// --- Query ---

Operation::Ptr Service::target_operation(Target target, uint64_t what) {
    switch (target) {
    case Target::stream:
        check_stream(what);
        // Waiting for the default stream waits for all blocking streams, as work put into it would.
        return what == legacy_stream ? streams_.issue(what, {}) : streams_.last(what);
    case Target::event:
        event(what).waited = true;
        return event(what).recorded;
    case Target::device:
        return nullptr;
    }
    throw Refused{error::invalid_value, "unknown target"};
}

template <>
Query::Result Service::carry_out(const Query& query, Payload, Reply& reply) {
    if (query.target >= Target::device)
        throw Refused{error::invalid_value, "unknown target"};
    // Polling the default stream must not put more work into it.
    const bool legacy = query.target == Target::stream && query.what == legacy_stream;
    const Operation::Ptr operation = legacy ? streams_.last_blocking() : target_operation(query.target, query.what);
    if (!operation)
        return {1, 0};
    if (operation->done) { // the host, which sees that, is ordered after it
        if (legacy)
            streams_.host_joins_blocking();
        else
            streams_.host_joins(operation);
        return {1, 0};
    }
    if (streams_.step(operation)) // polling makes progress
        return {0, 0};
    const Operation::Ptr call = streams_.host_call();
    const Query::Result result{0, call->calling ? 0 : call->host_call};
    hand_out(call, reply);
    return result;
}

template <>
Query::Result RealGpu::carry_out(const Query& query, Payload, Reply&) {
    if (query.target >= Target::device)
        throw Refused{error::invalid_value, "unknown target"};
    const CUresult result = state(query.target, query.what);
    if (result == CUDA_ERROR_NOT_READY)
        return {0, host_calls_->hand_out_once()};
    checked(result, "asking the GPU");
    return {1, 0};
}

// --- Wait ---

template <>
Wait::Result Service::carry_out(const Wait& wait, Payload, Reply& reply) {
    const bool all = wait.target == Target::device, background = wait.background == Wait::in_background;
    const auto staged = wait.background == Wait::until_staged ? staged_.find(wait.what) : staged_.end();
    const Operation::Ptr operation =
        staged != staged_.end() ? staged->second : target_operation(wait.target, wait.what);
    if (!all && !operation)
        return {Wait::State::complete, 0};
    const auto host = background ? Streams::Host::goes_on : Streams::Host::waits;
    if (background)
        streams_.host_may_have_written();
    if (all ? streams_.run_all(host) : streams_.run(operation, host)) {
        if (staged != staged_.end()) {
            streams_.host_joins_staged(operation);
            staged_.erase(staged);
        } else if (all && !background) {
            streams_.host_joins_all();
        } else if (!background) {
            streams_.host_joins(operation);
        }
        return {Wait::State::complete, 0};
    }
    const Operation::Ptr call = streams_.host_call();
    if (!call)
        return {Wait::State::under_way, 0};
    const Wait::Result result{call->calling ? Wait::State::ask_again : Wait::State::host_call, call->host_call};
    hand_out(call, reply);
    return result;
}

template <>
Wait::Result RealGpu::carry_out(const Wait& wait, Payload, Reply&) {
    if (wait_for(wait.target, wait.what))
        return {Wait::State::complete, 0};
    const auto [token, given_out] = host_calls_->hand_out();
    return {given_out ? Wait::State::ask_again : Wait::State::host_call, token};
}

} // namespace sim::cuda
