// The process that holds the simulated device, boxed/device.cpp, as the checker starts it and talks to it. It serves
// one run after the other. What it answers is as trustworthy as the student's kernel that it has executed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/device_server.h"
#include "check/message.h"
#include "process/process.h"
#include "sim/cuda/device/shared_memory.h"

namespace check {

class DeviceProcess {
  public:
    /// `program`: boxed/device.cpp's. It is started when it is needed.
    explicit DeviceProcess(std::filesystem::path program);
    ~DeviceProcess();
    DeviceProcess(const DeviceProcess&) = delete;

    struct Answer {
        uint64_t number = 0;
        message::State state{};
        std::vector<std::byte> contents{};
    };
    /// Throws Failed: what the device says, or that it is gone or says what no device says. It is ended then.
    Answer ask(const message::Header& request, std::span<const std::byte> contents = {}, int descriptor = -1,
               uint64_t most_contents = 0);
    /// `read` of what came; what it throws ends the process, too.
    template <class Read>
    auto read(const Answer& answer, Read&& read) {
        try {
            return read(answer.contents);
        } catch (const message::Malformed&) {
            fail("its answer makes no sense");
        }
    }
    /// Throws if it has ended.
    void check_alive();
    /// Ends it; the next run gets a new one.
    void end();
    bool alive() const { return process_.has_value(); }
    /// What could not be judged because the device ran out of memory; empty: it did not.
    const std::vector<sim::hazards::Gap>& gaps() const { return gaps_; }

    /// Begins a run: starts the process unless it is there, and clears the shared memory.
    void open(const message::Open& open);
    int shared_memory() const { return shared_->fd(); }
    /// Of the process that is there now, in seconds. Once it has ended, it counts as a child of ours.
    double processor_seconds() const;
    std::chrono::nanoseconds kept_waiting() const {
        return process_ ? process::kept_waiting(process_->id(), false) : std::chrono::nanoseconds{};
    }

  private:
    void start();
    bool receive(void* to, size_t bytes);
    void check_shared_memory();
    [[noreturn]] void gone();
    [[noreturn]] void fail(const std::string& why);

    std::filesystem::path program_;
    std::optional<process::Process> process_;
    std::unique_ptr<sim::cuda::SharedMemory> shared_;
    int control_ = -1;
    std::vector<sim::hazards::Gap> gaps_;
};

/// The device of the next run in that process. `sources`: texts that reports quote names from.
std::unique_ptr<DeviceServer> boxed_server(DeviceProcess& process, const message::Open& open);

} // namespace check
