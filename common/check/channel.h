// Where the memory and the calls of a case go. There is a class for each kind of run in channels/: on the simulated
// device, on a GPU, alone under one of NVIDIA's tools, and without a program, when its requests are repeated.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/buffer.h"
#include "check/device_server.h"
#include "check/record.h"
#include "check/run_config.h"
#include "check/slot.h"
#include "check/student/wire.h"
#include "check/verdict.h"
#include "check/work.h"
#include "sim/provenance/flow.h"

namespace check {

struct detail::Memory {
    MemoryKind place;
    uint64_t address;
    std::vector<std::byte> initial; ///< its initial contents
};

/// What check.h and expect.h are made of. All throw Failed.
class Channel {
  public:
    explicit Channel(RunConfig config) : config_(std::move(config)) {}
    virtual ~Channel() = default;
    Channel(const Channel&) = delete;

    virtual bool on_gpu() const { return false; }
    /// How much a LAB_BENCH should read.
    size_t bench_bytes() const { return on_gpu() ? size_t{1} << 30 : size_t{4} << 20; }
    /// Do stats() count what the kernels did? Else check::that always holds.
    virtual bool has_counters() const { return true; }
    /// Do results come back? Else nothing is expected of them.
    virtual bool has_results() const { return true; }
    /// The change to the next random value in a buffer; 0: it stays the same.
    virtual uint64_t other_value() { return 0; }

    /// At least one byte; never 0.
    uint64_t allocate(MemoryKind place, size_t bytes);
    virtual std::vector<std::byte> read(MemoryKind place, uint64_t address, size_t bytes) = 0;
    virtual void write(MemoryKind place, uint64_t address, std::span<const std::byte> contents) = 0;
    /// Was each byte last written by a kernel of the most recent call?
    virtual bool written_by_kernel(uint64_t address, size_t bytes) = 0;
    /// The same of each of `count` elements of `size` bytes.
    virtual std::vector<bool> elements_written(uint64_t address, size_t size, size_t count) = 0;

    /// Follow what becomes of the bytes that copies bring from these ranges of device memory: Trace::flow.
    virtual void follow(sim::provenance::Followed) {}
    /// Calls the launch function and waits for the device.
    virtual void call(const std::vector<detail::Slot>& slots) = 0;
    /// The next call() is the second of two: this one comes first, in another stream, and nothing waits between them.
    void call_beside(std::vector<detail::Slot> slots) { beside_ = std::move(slots); }
    /// Times it. Without a GPU there is nothing to time, but a call to look at: see runner/bench_model.h.
    virtual void measure(std::string_view variant, const Work& work, const std::vector<detail::Slot>& slots);
    /// Which argument of the most recent call is this pointer, counted from 1? 0: none, or several.
    size_t argument(uint64_t address) const;
    /// Is it a buffer that the checker has filled?
    bool is_filled(uint64_t address) const { return filled_.contains(address); }
    void fills(uint64_t address) { filled_.insert(address); }
    /// The trace of the most recent call.
    const Trace& trace() const { return trace_; }

    /// The case is over: makes the last findings, then ends the program.
    virtual void finish() = 0;
    /// The requests that can be repeated with other values; ends the program.
    virtual std::optional<Recorded> recording() { return {}; }
    /// Adds what this channel knows: findings, output, the call.
    virtual void describe(RunResult& result);
    /// A kernel is still running, and nothing can stop it; or the GPU's driver refuses all further work.
    virtual bool device_gone() { return false; }

    const RunConfig& config() const { return config_; }
    /// For a case, whose result then depends on it.
    Target target() {
        asked_for_target_ = true;
        return config_.target;
    }

  protected:
    virtual uint64_t try_to_allocate(MemoryKind place, size_t bytes) = 0; ///< 0: no memory is left
    void announce(const std::vector<detail::Slot>& slots);                ///< the call that everything now is about
    static void expect_success(const wire::Reply& launched, const wire::Reply& synchronised);

    RunConfig config_;
    bool asked_for_target_ = false;
    Trace trace_;
    std::string call_;
    std::vector<uint64_t> pointers_; ///< its arguments; 0: not a pointer
    std::optional<std::vector<detail::Slot>> beside_;
    std::vector<Measurement> measured_;

  private:
    std::set<uint64_t> filled_;
    size_t allocated_ = 0; ///< by the checker, on the device
};

/// Why a case fails whose calls do more than a Trace holds.
extern const char* const too_many_requests;

/// The one that the configuration asks for; with a recording, the one that repeats it.
std::unique_ptr<Channel> open_channel(const RunConfig& config, const Recorded* repeated);

} // namespace check
