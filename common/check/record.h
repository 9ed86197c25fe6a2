// What the checker's device recorded of one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/machine/gpu.h"
#include "sim/machine/statistics.h"
#include "sim/provenance/flow.h"

namespace check {

struct Launch {
    std::string kernel; ///< mangled
    sim::machine::LaunchConfig config;
    sim::machine::Statistics statistics;
    uint64_t parameter_bytes = 0;
};

/// A request of the program's CUDA runtime.
struct HostOperation {
    enum class Kind : uint8_t {
        copy_to_device,
        copy_to_host,
        copy_on_device,
        fill,
        launch,
        record_event,
        wait_for_event, ///< cudaStreamWaitEvent: one stream waits for another
        host_wait,      ///< the host waits: a synchronise call, or a copy that is not asynchronous
        query,          ///< the host asks whether work is complete
    };
    Kind kind;
    uint64_t stream = 0;   ///< 1: the default stream
    uint64_t bytes = 0;    ///< of a copy or fill
    bool pageable = false; ///< a copy whose host side is neither pinned nor registered: it is staged, not asynchronous
    uint64_t from = 0;     ///< of a copy from device memory: the address of the buffer
    bool beside = false;   ///< of a launch: an earlier one was not complete when it was issued
    bool early = false;    ///< of a launch: it may start before the kernel before it in its stream is complete
};

/// Where work was issued. A wait or a query where there has been none returns at once, so it is no wait.
class Issued {
  public:
    void work(uint64_t stream) { streams_.insert(stream); }
    void record(uint64_t event, uint64_t stream) {
        if (in_stream(stream))
            events_.insert(event);
    }
    void join(uint64_t stream, uint64_t event) {
        if (in_event(event))
            work(stream);
    }
    bool anywhere() const { return !streams_.empty(); }
    bool in_event(uint64_t event) const { return events_.contains(event); }
    /// The default stream also waits for the others.
    bool in_stream(uint64_t stream) const { return stream == 1 ? anywhere() : streams_.contains(stream); }

  private:
    std::set<uint64_t> streams_, events_; ///< an event is here if it was recorded behind work
};

/// A call can do more than the checker follows. Its effects then cannot be judged from the recording.
struct Full {
    bool operations = false, launches = false, uploaded = false, downloaded = false;
};

/// What happened since the call began.
struct Trace {
    std::vector<HostOperation> operations;
    Issued issued;
    std::vector<Launch> launches;
    sim::machine::Statistics statistics;       ///< of all launches together
    sim::machine::Outcome lost;                ///< why the device was lost
    std::vector<std::byte> uploaded;           ///< bytes copied to the device
    std::map<uint64_t, uint64_t> loads;        ///< bytes that threads loaded by themselves, by the buffer's address; of
                                               ///< the host's memory also what their copies took
    std::vector<std::byte> downloaded;         ///< bytes copied back that kernels of this call wrote
    std::optional<sim::provenance::Flow> flow; ///< where check::follow() has been called
    Full full;                                 ///< of these lists: the rest is missing
    sim::machine::OperationId began = 0;       ///< operations of the device before this number are older
};

} // namespace check
