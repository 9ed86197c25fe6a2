// Requests about streams, events and waiting.
#include <unistd.h>

#include "check/gpu/requests.h"
#include "sim/cuda/error_code.h"

namespace check::gpu {

using namespace sim::cuda;

CUstream Requests::stream(uint64_t id) const {
    const auto found = streams_.find(id);
    if (found == streams_.end())
        throw Refused{error::invalid_resource_handle, "no such stream"};
    return found->second;
}

CUevent Requests::event(uint64_t id) const {
    const auto found = events_.find(id);
    if (found == events_.end())
        throw Refused{error::invalid_resource_handle, "no such event"};
    return found->second;
}

void Requests::create_stream(const CreateStream& body, Payload, Reply& reply) {
    CUstream made = nullptr;
    checked(cu_.cuStreamCreateWithPriority(&made, body.nonblocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT,
                                           body.priority),
            "creating a stream");
    reply.values[0] = new_id();
    streams_.emplace(reply.values[0], made);
}

void Requests::destroy_stream(const DestroyStream& body, Payload, Reply&) {
    if (body.stream == legacy_stream)
        throw Refused{error::invalid_resource_handle, "the default stream cannot be destroyed"};
    const CUstream gone = stream(body.stream);
    wait_for(Target::stream, body.stream); // so that nothing is left that drain() does not see
    streams_.erase(body.stream);
    checked(cu_.cuStreamDestroy(gone), "destroying a stream");
}

void Requests::create_event(const CreateEvent& body, Payload, Reply& reply) {
    CUevent made = nullptr;
    checked(cu_.cuEventCreate(&made, body.timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING), "creating an event");
    reply.values[0] = new_id();
    events_.emplace(reply.values[0], made);
}

void Requests::destroy_event(const DestroyEvent& body, Payload, Reply&) {
    checked(cu_.cuEventDestroy(event(body.event)), "destroying an event");
    events_.erase(body.event);
}

void Requests::record_event(const RecordEvent& body, Payload, Reply&) {
    checked(cu_.cuEventRecord(event(body.event), stream(body.stream)), "cudaEventRecord");
}

void Requests::stream_wait_event(const StreamWaitEvent& body, Payload, Reply&) {
    checked(cu_.cuStreamWaitEvent(stream(body.stream), event(body.event), 0), "cudaStreamWaitEvent");
}

void Requests::due(void* call) {
    const std::unique_ptr<Due> mine(static_cast<Due*>(call));
    HostCalls& calls = *mine->calls;
    std::unique_lock lock(calls.mutex);
    calls.changed.wait(lock, [&] { return calls.ended || calls.due == 0; }); // one at a time
    calls.due = mine->token;
    calls.given_out = false;
    calls.changed.wait(lock, [&] { return calls.ended || calls.done.contains(mine->token); });
    calls.done.erase(mine->token);
    calls.due = 0;
    calls.changed.notify_all();
}

void Requests::host_call(const HostCall& body, Payload, Reply& reply) {
    if (!body.token)
        throw Refused{error::invalid_value, "a host call needs a token"};
    auto call = std::make_unique<Due>(Due{host_calls_, body.token});
    checked(cu_.cuLaunchHostFunc(stream(body.stream), due, call.get()), "cudaLaunchHostFunc");
    call.release();
    reply.values[0] = new_id();
}

void Requests::host_call_done(const HostCallDone& body, Payload, Reply&) {
    {
        const std::lock_guard lock(host_calls_->mutex);
        host_calls_->done.insert(body.token);
    }
    host_calls_->changed.notify_all();
}

CUresult Requests::state(Target target, uint64_t what) const {
    switch (target) {
    case Target::stream:
        return cu_.cuStreamQuery(stream(what));
    case Target::event:
        return cu_.cuEventQuery(event(what));
    case Target::device:
        for (const auto& [id, one] : streams_)
            if (const CUresult result = cu_.cuStreamQuery(one))
                return result;
        return CUDA_SUCCESS;
    }
    throw Refused{error::invalid_value, "unknown target"};
}

// Asks instead of waiting, so that a kernel that does not end can be left behind.
bool Requests::wait_for(Target target, uint64_t what) {
    for (int asked = 0;; ++asked) {
        const CUresult result = state(target, what);
        if (result != CUDA_ERROR_NOT_READY) {
            checked(result, "waiting for the GPU");
            return true;
        }
        {
            const std::lock_guard lock(host_calls_->mutex);
            if (host_calls_->due && !host_calls_->ended)
                return false;
        }
        if (interrupted()) {
            lose(error::launch_timeout, "the work on the GPU was still running when time was up");
            throw Refused{lost_, lost_message_};
        }
        if (asked > 1000)
            usleep(20);
    }
}

void Requests::drain() {
    try {
        cu_.cuCtxSetCurrent(context_);
        wait_for(Target::device, 0);
    } catch (const Refused&) { // the next request is told
    }
}

void Requests::query(const Query& body, Payload, Reply& reply) {
    if (body.target >= Target::device)
        throw Refused{error::invalid_value, "unknown target"};
    const CUresult result = state(body.target, body.what);
    reply.values[0] = result != CUDA_ERROR_NOT_READY;
    if (reply.values[0])
        return checked(result, "asking the GPU");
    const std::lock_guard lock(host_calls_->mutex);
    if (host_calls_->due && !host_calls_->given_out)
        reply.values[1] = host_calls_->due;
    host_calls_->given_out = true;
}

void Requests::wait(const Wait& body, Payload, Reply& reply) {
    if (wait_for(body.target, body.what))
        return;
    const std::lock_guard lock(host_calls_->mutex);
    reply.values[0] = host_calls_->given_out ? 2 : 1;
    reply.values[1] = host_calls_->due;
    host_calls_->given_out = true;
}

void Requests::elapsed(const Elapsed& body, Payload, Reply& reply) {
    float milliseconds = 0;
    checked(cu_.cuEventElapsedTime(&milliseconds, event(body.first), event(body.second)), "cudaEventElapsedTime");
    reply.values[0] = static_cast<uint64_t>(static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6));
}

// --- measuring -----------------------------------------------------------------------------------------------------

void Requests::operation_begins(CUstream in) {
    timed_stream_ = in;
    if (!starting_)
        return;
    starting_ = false;
    auto& [begin, end] = timed_.emplace_back();
    checked(cu_.cuEventCreate(&begin, CU_EVENT_DEFAULT), "creating an event");
    checked(cu_.cuEventCreate(&end, CU_EVENT_DEFAULT), "creating an event");
    checked(cu_.cuEventRecord(begin, in), "recording an event");
}

void Requests::stop_timing() {
    if (timing_ && !starting_)
        cu_.cuEventRecord(timed_.back().second, timed_stream_);
    timing_ = starting_ = false;
}

std::vector<double> Requests::times() {
    drain();
    std::vector<double> all;
    for (const auto& [begin, end] : timed_) {
        float milliseconds = 0;
        if (cu_.cuEventElapsedTime(&milliseconds, begin, end) == CUDA_SUCCESS)
            all.push_back(static_cast<double>(milliseconds) * 1e-3);
        cu_.cuEventDestroy(begin);
        cu_.cuEventDestroy(end);
    }
    timed_.clear();
    return all;
}

} // namespace check::gpu
