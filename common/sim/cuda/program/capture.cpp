#include "sim/cuda/program/capture.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace sim::cuda {

namespace capture {

namespace {

std::mutex lock_;                               // of everything here
std::set<std::shared_ptr<Sequence>> sequences_; // that have begun and not ended
std::atomic<bool> any_{false};                  // is there one? So that programs without captures pay nothing
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

Position* position_of(const Stream* stream) {
    return stream && stream->capture ? stream->capture.get() : nullptr;
}

void take_part(Stream* stream, Position position) {
    position.sequence->streams.insert(stream);
    stream->capture = std::make_shared<Position>(std::move(position));
}

void close(const std::shared_ptr<Sequence>& sequence) {
    for (Stream* stream : sequence->streams)
        stream->capture = nullptr;
    sequences_.erase(sequence);
    any_ = !sequences_.empty();
}

[[noreturn]] void invalidate(Sequence& sequence, cudaError_t error, std::string why) {
    sequence.invalidated = true;
    fail(error, std::move(why));
}

/// A capture in which a blocking stream takes part: the legacy default stream would wait for it.
Sequence* implicit() {
    for (const auto& sequence : sequences_)
        for (const Stream* stream : sequence->streams)
            if (!(stream->flags & cudaStreamNonBlocking))
                return sequence.get();
    return nullptr;
}

/// Is `node` one of `ends`, or does one of them depend on it? `complete`: in such a way that it is complete before.
bool behind(const graph::Node* node, const std::vector<graph::Dependency>& ends, bool complete = false) {
    std::vector<const graph::Node*> todo;
    for (const graph::Dependency& end : ends)
        todo.push_back(end.node);
    std::set<const graph::Node*> seen;
    while (!todo.empty()) {
        const graph::Node* next = todo.back();
        todo.pop_back();
        if (next == node)
            return true;
        if (seen.insert(next).second)
            for (const graph::Dependency& on : next->after)
                if (!complete || on.port == Port::complete)
                    todo.push_back(on.node);
    }
    return false;
}

} // namespace

bool ongoing(cudaStream_t handle) {
    if (!any_)
        return false;
    const Stream* stream = Runtime::get().stream(handle);
    const std::lock_guard guard(lock_);
    const Position* position = position_of(stream);
    if (position && position->sequence->invalidated)
        fail(cudaErrorStreamCaptureInvalidated, "an earlier error has invalidated the capture of this stream");
    return position != nullptr;
}

void refuse(const Stream* stream) {
    if (!any_)
        return;
    const std::lock_guard guard(lock_);
    if (const Position* position = position_of(stream))
        invalidate(*position->sequence, cudaErrorStreamCaptureUnsupported,
                   "the stream is being captured, and this call cannot become a node of a graph");
    if (Sequence* sequence = stream ? nullptr : implicit())
        invalidate(*sequence, cudaErrorStreamCaptureImplicit,
                   "the legacy default stream waits for all blocking streams, and one of them is being captured: use "
                   "another stream, or create the captured one with cudaStreamNonBlocking");
}

void refuse_unsafe_call() {
    if (!any_ || thread_mode == cudaStreamCaptureModeRelaxed)
        return;
    const std::lock_guard guard(lock_);
    for (const auto& sequence : sequences_) {
        const bool own = sequence->thread == std::this_thread::get_id();
        if (own ? sequence->mode != cudaStreamCaptureModeRelaxed
                : thread_mode == cudaStreamCaptureModeGlobal && sequence->mode == cudaStreamCaptureModeGlobal)
            invalidate(*sequence, cudaErrorStreamCaptureUnsupported,
                       "a call that may synchronise is not permitted while a stream is being captured "
                       "(cudaStreamCaptureMode)");
    }
}

void refuse_device_wait() {
    if (!any_)
        return;
    const std::lock_guard guard(lock_);
    for (const auto& sequence : sequences_)
        invalidate(*sequence, cudaErrorStreamCaptureUnsupported,
                   "the host cannot wait for the device while a stream is being captured");
}

void refuse(const Event& event) {
    if (!event.capture)
        return;
    const std::lock_guard guard(lock_);
    invalidate(*event.capture->sequence, cudaErrorCapturedEvent,
               "the event was last recorded in a stream that was being captured, so it never completes");
}

void add(cudaStream_t handle, graph::Work work) {
    Stream* stream = Runtime::get().stream(handle);
    const std::lock_guard guard(lock_);
    Position& position = *stream->capture;
    // A dependent launch gets an edge that says so, if it would be one in the stream, too.
    auto* kernel = std::get_if<graph::KernelWork>(&work);
    const bool dependent = kernel && std::exchange(kernel->launch.programmatic, 0);
    if (dependent && position.own && std::holds_alternative<graph::KernelWork>(position.after.front().node->work))
        position.after.front().port = Port::triggered;
    position.after = {{position.sequence->recorded->add(std::move(work), position.after)}};
    position.own = true;
}

void update(cudaStream_t handle, std::vector<graph::Dependency> after, bool set) {
    Stream* stream = Runtime::get().stream(handle);
    if (!ongoing(handle))
        fail(cudaErrorIllegalState, "the stream is not being captured");
    const std::lock_guard guard(lock_);
    Position& position = *stream->capture;
    for (const graph::Dependency& on : after)
        if (on.node->owner != position.sequence->recorded.get())
            fail(cudaErrorInvalidValue, "a dependency is not a node of the graph that is being captured");
    if (set)
        position.sequence->let_go.insert(position.sequence->let_go.end(), position.after.begin(), position.after.end());
    else
        after.insert(after.begin(), position.after.begin(), position.after.end());
    position.after.clear();
    for (const graph::Dependency& on : after)
        if (std::ranges::find(position.after, on.node, &graph::Dependency::node) == position.after.end())
            position.after.push_back(on);
    position.own = false;
}

std::vector<graph::Graph*> graphs() {
    const std::lock_guard guard(lock_);
    std::vector<graph::Graph*> found;
    for (const auto& sequence : sequences_)
        found.push_back(sequence->recorded.get());
    return found;
}

bool record(cudaEvent_t handle, cudaStream_t stream, bool external) {
    Event& event = Runtime::get().event(handle);
    if (!ongoing(stream)) {
        if (external)
            fail(cudaErrorIllegalState, "cudaEventRecordExternal: the stream is not being captured");
        event.capture = nullptr;
        return false;
    }
    if (external) {
        add(stream, graph::EventWork{handle, true});
        return true;
    }
    const std::lock_guard guard(lock_);
    event.capture = std::make_shared<Position>(*Runtime::get().stream(stream)->capture);
    return true;
}

bool wait(cudaStream_t handle, cudaEvent_t event_handle, bool external) {
    const Event& event = Runtime::get().event(event_handle);
    const bool captured = ongoing(handle);
    if (external) {
        if (!captured)
            fail(cudaErrorIllegalState, "cudaEventWaitExternal: the stream is not being captured");
        add(handle, graph::EventWork{event_handle, false});
        return true;
    }
    if (!captured && !event.capture)
        return false;
    Stream* stream = Runtime::get().stream(handle);
    const std::lock_guard guard(lock_);
    if (!event.capture)
        invalidate(*stream->capture->sequence, cudaErrorStreamCaptureIsolation,
                   "the event was not recorded in this capture: a graph cannot depend on work outside of it");
    const std::shared_ptr<Sequence> theirs = event.capture->sequence;
    if (!sequences_.contains(theirs))
        fail(cudaErrorCapturedEvent, "the event was last recorded in a capture that has ended");
    if (!stream)
        invalidate(*theirs, cudaErrorStreamCaptureImplicit, "the legacy default stream cannot take part in a capture");
    if (!captured) {
        take_part(stream, {theirs, event.capture->after});
        return true;
    }
    Position& mine = *stream->capture;
    if (mine.sequence != theirs) {
        mine.sequence->invalidated = true;
        invalidate(*theirs, cudaErrorStreamCaptureMerge, "the wait would merge two captures");
    }
    for (const graph::Dependency& on : event.capture->after)
        if (!behind(on.node, mine.after, true))
            mine.after.push_back(on);
    mine.own = false;
    return true;
}

void begin(cudaStream_t handle, cudaStreamCaptureMode mode) {
    if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
        fail(cudaErrorInvalidValue, "unknown capture mode");
    Stream* stream = Runtime::get().stream(handle);
    if (!stream)
        fail(cudaErrorStreamCaptureUnsupported, "the legacy default stream cannot be captured");
    static unsigned long long ids = 0;
    const std::lock_guard guard(lock_);
    if (stream->capture)
        fail(cudaErrorIllegalState, "the stream is being captured already");
    const auto sequence = std::make_shared<Sequence>();
    sequence->id = ++ids;
    sequence->origin = stream;
    sequence->mode = mode;
    take_part(stream, {sequence, {}});
    sequences_.insert(sequence);
    any_ = true;
}

std::unique_ptr<graph::Graph> end(cudaStream_t handle) {
    Stream* stream = Runtime::get().stream(handle);
    const std::lock_guard guard(lock_);
    if (!stream || !stream->capture)
        fail(cudaErrorIllegalState, "the stream is not being captured");
    const Position position = *stream->capture;
    const std::shared_ptr<Sequence> sequence = position.sequence;
    if (sequence->origin != stream)
        invalidate(*sequence, cudaErrorStreamCaptureUnmatched,
                   "the capture did not begin in this stream: end it in the stream where it began");
    if (sequence->mode != cudaStreamCaptureModeRelaxed && sequence->thread != std::this_thread::get_id())
        invalidate(*sequence, cudaErrorStreamCaptureWrongThread,
                   "another thread has begun the capture (only cudaStreamCaptureModeRelaxed permits that)");
    close(sequence);
    if (sequence->invalidated)
        fail(cudaErrorStreamCaptureInvalidated, "an earlier error has invalidated the capture");
    std::vector<graph::Dependency> ends = position.after;
    ends.insert(ends.end(), sequence->let_go.begin(), sequence->let_go.end());
    for (const auto& node : sequence->recorded->nodes)
        if (!behind(node.get(), ends))
            fail(cudaErrorStreamCaptureUnjoined,
                 "a stream that took part has work that the first stream does not wait for: record an event behind it "
                 "and let the first stream wait for that (cudaStreamWaitEvent)");
    return std::move(sequence->recorded);
}

cudaStreamCaptureStatus status(cudaStream_t handle) {
    const Stream* stream = Runtime::get().stream(handle);
    const std::lock_guard guard(lock_);
    if (!stream && implicit())
        fail(cudaErrorStreamCaptureImplicit, "a blocking stream is being captured");
    const Position* position = position_of(stream);
    return !position                         ? cudaStreamCaptureStatusNone
           : position->sequence->invalidated ? cudaStreamCaptureStatusInvalidated
                                             : cudaStreamCaptureStatusActive;
}

cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode) {
    return std::exchange(thread_mode, mode);
}

void forget(Stream* stream) {
    const std::lock_guard guard(lock_);
    if (!stream->capture)
        return;
    const std::shared_ptr<Sequence> sequence = stream->capture->sequence;
    sequence->streams.erase(stream);
    sequence->invalidated = true;
    if (sequence->origin == stream)
        close(sequence);
}

void forget_all() {
    const std::lock_guard guard(lock_);
    while (!sequences_.empty())
        close(*sequences_.begin());
}

} // namespace capture

void graph::put(cudaStream_t stream, Work work) {
    if (capture::ongoing(stream))
        capture::add(stream, std::move(work));
    else
        issue(work, Runtime::get().stream_id(stream));
}

} // namespace sim::cuda
