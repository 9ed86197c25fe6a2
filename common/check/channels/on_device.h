// What runs have in common whose device the checker holds, and those of them that have a program.
#pragma once

#include <algorithm>
#include <utility>

#include "check/channels/channels.h"
#include "check/channels/program.h"
#include "check/device_server.h"

namespace check {

class OnDevice : public Channel {
  public:
    OnDevice(const RunConfig& config, std::unique_ptr<DeviceServer> server)
        : Channel(config), server_(std::move(server)) {}

    std::vector<std::byte> read(MemoryKind place, uint64_t address, size_t bytes) override;
    void write(MemoryKind place, uint64_t address, std::span<const std::byte> contents) override;
    bool written_by_kernel(uint64_t address, size_t bytes) override;
    std::vector<bool> elements_written(uint64_t address, size_t size, size_t count) override {
        return server_->elements_written(address, size, count);
    }
    void call(const std::vector<detail::Slot>& slots) override;
    void follow(sim::provenance::Followed followed) override;
    bool device_gone() override { return server_->stuck(); }
    void describe(RunResult& result) override;

  protected:
    uint64_t try_to_allocate(MemoryKind place, size_t bytes) override;
    // The program's part.
    virtual void prepare(const std::vector<detail::Slot>& slots) = 0; ///< for a call
    virtual wire::Reply launch(const std::vector<detail::Slot>& slots, uint32_t stream) = 0;
    wire::Reply launch_all(const std::vector<detail::Slot>& slots); ///< with the call beside it
    virtual wire::Reply synchronise() = 0;
    virtual uint64_t allocate_on_host(MemoryKind place, size_t bytes) = 0;
    virtual std::vector<std::byte> read_host(uint64_t address, size_t bytes) = 0;
    virtual void write_host(uint64_t address, std::span<const std::byte> contents) = 0;

    /// Throws Failed if the program has used the device outside the calls.
    void check_strayed();

    std::unique_ptr<DeviceServer> server_;
};

/// With a program in a box.
class WithProgram : public OnDevice {
  public:
    /// `where`: what ASYNCLAB_DEVICE says of the descriptor 3, "fd" or "gpu".
    WithProgram(const RunConfig& config, const char* where, std::unique_ptr<DeviceServer> server)
        : OnDevice(config, std::move(server)), program_(config, boxed(config, where), server_.get()) {}

    void finish() override;
    void describe(RunResult& result) override;
    void call(const std::vector<detail::Slot>& slots) override;

  protected:
    void prepare(const std::vector<detail::Slot>& slots) override { program_.check_signature(slots); }
    wire::Reply launch(const std::vector<detail::Slot>& slots, uint32_t stream) override {
        return program_.launch(slots, stream);
    }
    wire::Reply synchronise() override { return program_.synchronise(); }
    uint64_t allocate_on_host(MemoryKind place, size_t bytes) override;
    std::vector<std::byte> read_host(uint64_t address, size_t bytes) override { return program_.read(address, bytes); }
    void write_host(uint64_t address, std::span<const std::byte> contents) override {
        program_.write(wire::Ask::write, address, contents);
    }

    bool uses_host_memory_ = false;
    Program program_;
    std::string misplaced_; ///< a launch in a stream other than the one passed; empty: none

  private:
    static process::Spawn boxed(const RunConfig& config, const char* where);
};

/// The simulated device that the configuration describes, in its box or in this process. With `repeated`, requests come
/// from there.
std::unique_ptr<DeviceServer> simulated_device(const RunConfig& config, const Recorded* repeated);

} // namespace check
