// Stream capture: work of the streams that take part becomes nodes of a graph and does not run.
// Source: CUDA Programming Guide, "Creating a Graph Using Stream Capture"; CUDA Runtime API, error codes 900 to 908.
#pragma once

#include <set>
#include <thread>

#include "sim/cuda/program/graph.h"

namespace sim::cuda::capture {

struct Sequence {
    unsigned long long id = 0;
    std::unique_ptr<graph::Graph> recorded = std::make_unique<graph::Graph>();
    Stream* origin = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread = std::this_thread::get_id(); ///< that has begun it
    bool invalidated = false;
    std::set<Stream*> streams; ///< that take part
    /// Nodes that cudaStreamUpdateCaptureDependencies has taken out of a stream: none has to wait for them.
    std::vector<graph::Dependency> let_go;
};

/// The nodes that a capturing stream's next operation, or an event, is ordered after.
struct Position {
    std::shared_ptr<Sequence> sequence;
    std::vector<graph::Dependency> after;
    bool own = false; ///< that is the last node of this stream, and no wait for an event has come since
};

/// Does the stream take part in a capture? Throws Failure for a handle that is no stream, and if the capture has been
/// invalidated.
bool ongoing(cudaStream_t stream);
/// Throws Failure, and invalidates the capture, if the stream takes part in one; also for the legacy default stream
/// while a blocking stream does.
void refuse(const Stream* stream);
/// Throws Failure if a call that may synchronise is prohibited at the moment (cudaStreamCaptureMode).
void refuse_unsafe_call();
/// Throws Failure if any stream is being captured: the host cannot wait for the whole device then.
void refuse_device_wait();
/// Throws Failure for an event that was last recorded in a stream that was captured.
void refuse(const Event& event);

/// Adds a node to the capture that the stream takes part in.
void add(cudaStream_t stream, graph::Work work);
/// cudaEventRecord and cudaStreamWaitEvent, as far as captures are concerned. True: that is all.
bool record(cudaEvent_t event, cudaStream_t stream, bool external);
bool wait(cudaStream_t stream, cudaEvent_t event, bool external);

/// cudaStreamUpdateCaptureDependencies: what the stream's next node depends on, beside the present nodes or (`set`)
/// instead of them.
void update(cudaStream_t stream, std::vector<graph::Dependency> after, bool set);
/// The graphs of the captures that have begun and not ended.
std::vector<graph::Graph*> graphs();

void begin(cudaStream_t stream, cudaStreamCaptureMode mode);
/// The graph. Throws Failure when there is none.
std::unique_ptr<graph::Graph> end(cudaStream_t stream);
cudaStreamCaptureStatus status(cudaStream_t stream);
cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode); ///< of the calling thread
/// At the end of the program, or of a stream.
void forget(Stream* stream);
void forget_all();

} // namespace sim::cuda::capture
