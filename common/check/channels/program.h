// The program under test: a process whose main function is the checker's stub (student/stub.cpp), which carries out one
// request at a time.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/device_server.h"
#include "check/run_config.h"
#include "check/slot.h"
#include "check/student/wire.h"
#include "process/process.h"

namespace check {

/// Throws Failed for errors that the device has found; the most telling one.
void check_device(DeviceServer& server, bool hazards = true);

/// It is started with the first request. All throw Failed.
class Program {
  public:
    /// `server`: the device that it talks to, whose errors may be why it does not answer; nullptr: it has one of its
    /// own. The time limit begins now.
    Program(const RunConfig& config, process::Spawn spawn, DeviceServer* server);
    ~Program();
    Program(const Program&) = delete;

    wire::Reply ask(const wire::Request& request, std::span<const std::byte> data = {},
                    std::vector<std::byte>* answer = nullptr);
    /// Is the launch function the one that the lab calls?
    void check_signature(const std::vector<detail::Slot>& slots);
    /// After check_signature. A call that runs beside another one gets a stream of its own: 0 or 1.
    wire::Reply launch(const std::vector<detail::Slot>& slots, uint32_t stream = 0);
    /// The streams that calls have got, as the server names them; empty: the launch function takes none.
    const std::vector<uint64_t>& streams() const { return streams_; }
    wire::Reply synchronise();
    uint64_t allocate(wire::Ask kind, size_t bytes); ///< 0: no memory is left
    std::vector<std::byte> read(uint64_t address, size_t bytes);
    void write(wire::Ask how, uint64_t address, std::span<const std::byte> contents);

    /// Lets it return from main, and reads its last messages. False: it never began.
    bool leave();
    void kill();
    std::string output();

  private:
    void start();
    void open_stream(uint32_t stream);
    wire::Reply receive(std::vector<std::byte>* answer);
    void wait_for_answer();
    std::chrono::nanoseconds kept_waiting() const;
    std::chrono::milliseconds time_left() const;
    [[noreturn]] void out_of_time();
    [[noreturn]] void gone();
    void hear_out();

    process::Spawn spawn_;
    std::string ptx_;
    std::chrono::milliseconds timeout_;
    std::chrono::steady_clock::time_point deadline_;
    std::chrono::nanoseconds waited_before_; ///< of processes that are older than this run
    DeviceServer* server_;
    std::optional<process::Process> process_;
    int control_ = -1, shared_fd_ = -1;
    std::string signature_;
    std::vector<uint64_t> streams_;
};

} // namespace check
