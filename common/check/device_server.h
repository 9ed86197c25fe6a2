// The device behind the program under test, with a record of what was asked of it, as one run of a case uses it: in
// this process (server.h), or in the box of another one (boxed_server.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/record.h"
#include "sim/machine/executed.h"
#include "sim/protocol/summary.h"
#include "sim/report/finding.h"
#include "sim/report/gap.h"
#include "sim/timeline/estimate.h"

namespace check {

class Recording;

/// Of the memory that program and device share: its pages count for neither of them.
constexpr uint64_t most_pinned_bytes = uint64_t{2} << 30;

/// What the program asked, kept by the device's process to be repeated.
struct Recorded {
    bool complete = true;                    ///< else it was too much to keep
    std::shared_ptr<const Recording> here{}; ///< nullptr: it is in the box
};

/// What is wrong with the device.
struct Condition {
    uint64_t errors = 0; ///< findings
    sim::machine::Outcome lost;
};

/// What the simulated device has to say about everything that it ran.
struct Judged {
    std::vector<sim::hazards::Finding> findings;
    std::vector<sim::hazards::Gap> gaps;
    sim::machine::Executed executed;
    sim::protocol::Summary protocol{};                 ///< with DeviceSettings::protocol
    std::optional<sim::timeline::Estimate> estimate{}; ///< with DeviceSettings::estimate, if nothing is wrong
};

/// All throw Failed.
class DeviceServer {
  public:
    virtual ~DeviceServer() = default;

    /// Serves `fd` until the program closes it; takes the descriptor. PTX that the program loads is replaced by `ptx`
    /// unless that is empty.
    virtual void start(int fd, std::string ptx) = 0;
    /// Waits until the program has closed its end.
    virtual void join() = 0;
    /// What was asked, with Keep::all; after join().
    virtual Recorded take_recording() = 0;
    /// The memory that the program shares with the device: a descriptor that stays ours; -1: there is none yet.
    virtual int shared_memory() = 0;

    // Steps of the checker's own. When requests are repeated, those before the step come first.
    virtual uint64_t allocate(size_t bytes) = 0; ///< holds 0xDB; 0: none is left
    virtual void write(uint64_t address, std::span<const std::byte> contents) = 0;
    virtual void begin_call() = 0; ///< a new trace; from here on, each write is attributed to a kernel or a copy
    /// The launch function has returned. What it left behind still belongs to the call.
    virtual void returned() = 0;
    virtual Trace finish_call() = 0; ///< runs all that is pending; from here on nothing belongs to a call
    /// Follows what becomes of the bytes that copies bring from these ranges: Trace::flow.
    virtual void follow(sim::provenance::Followed followed) = 0;
    /// Has the program launched a kernel or copied device memory outside the calls?
    virtual bool strayed() = 0;

    virtual std::vector<std::byte> read(uint64_t address, size_t bytes) = 0;
    /// Was each byte last written by a kernel, since begin_call()? On a GPU: by no copy or fill since the last launch.
    virtual bool written_by_kernel(uint64_t address, size_t bytes) = 0;
    /// The same of each of `count` elements of `size` bytes.
    virtual std::vector<bool> elements_written(uint64_t address, size_t size, size_t count) = 0;
    virtual Condition condition() = 0;
    virtual Judged judged() = 0; ///< nothing while it is busy
    /// The requests after the last step. False if there were more steps than now.
    virtual bool repeat_the_rest() = 0;

    virtual bool busy() = 0;
    /// Has the program asked which architecture it runs on?
    virtual bool told_architecture() = 0;
    /// The stream that the program has made most recently.
    virtual uint64_t newest_stream() = 0;
    /// Ends the kernel that runs, and what is launched from now on. False if the device is still busy after `patience`.
    virtual bool interrupt(std::chrono::milliseconds patience) = 0;
    /// process::kept_waiting, if the device has a process of its own; it may have served other runs before.
    virtual std::chrono::nanoseconds kept_waiting() { return {}; }
    /// Is there still a device? Throws if not.
    virtual void check_alive() {}
    /// A kernel is still running, and nothing can stop it but the end of this process.
    virtual bool stuck() { return busy(); }
};

/// Which device to simulate.
struct DeviceSettings {
    uint32_t sm = 90;
    uint32_t sms = 4;
    uint64_t memory = 0; ///< bytes
    uint64_t max_instructions = 0;
    sim::machine::Schedule schedule;
    bool protocol = false; ///< explore other orders of barrier operations, too
    bool estimate = false; ///< the timing model's, of block 0 in the first launch with asynchronous copies
};
/// With the modules that this process has parsed before.
sim::machine::Options options(const DeviceSettings& settings);

} // namespace check
