// A child process with limits that cannot outlive us: its process group is killed, and so is what left the group.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "isolation/isolation.h"

namespace process {

struct Limits {
    std::chrono::milliseconds wall{10'000}; ///< for Process::finish; 0: none
    uint32_t processor_seconds = 0;         ///< RLIMIT_CPU, of each process; 0: none
    uint64_t data_bytes = 0;                ///< RLIMIT_DATA: private writable memory; 0: none
    uint64_t file_bytes = 0;                ///< RLIMIT_FSIZE; 0: none
    uint32_t more_processes = 0;            ///< RLIMIT_NPROC: this many more than the user has now; 0: none
    size_t output_bytes = size_t{64} << 20; ///< more output than this ends the process
    size_t kept_bytes = size_t{256} << 10;  ///< of the output; the rest is dropped
};

struct Spawn {
    std::vector<std::string> arguments;               ///< [0]: the program, searched for in PATH unless it has a slash
    std::map<std::string, std::string> environment{}; ///< added to ours
    std::map<int, int>
        descriptors{}; ///< number in the child -> ours; everything else is closed. 0: /dev/null if absent
    std::filesystem::path directory{}; ///< empty: ours
    bool capture = true;               ///< stdout and stderr into one pipe; else they are ours
    bool quiet = false;                ///< not captured: stdout and stderr go to /dev/null
    bool inherit_stdin = false;
    bool own_group = true; ///< false: a program at the terminal, which may read from it
    Limits limits{};
    std::optional<isolation::Box> box{}; ///< what else it may not do
};

class Process {
  public:
    /// Throws std::system_error when it cannot be started.
    explicit Process(const Spawn& spawn);
    ~Process(); ///< kills the processes that are left
    Process(Process&& other) noexcept;
    Process(const Process&) = delete;

    pid_t id() const { return pid_; }
    int output_fd() const { return output_fd_; } ///< -1: not captured, or at its end
    /// Reads the process's output so far; call when output_fd() is readable. False: too much was printed.
    bool drain();
    const std::string& output() const { return output_; }
    /// Waits for the end, draining output; calls `meanwhile` every now and then. False: the wall limit was reached, or
    /// too much was printed; it is killed then.
    bool finish(const std::function<void()>& meanwhile = {});
    bool too_much_output() const { return printed_ > limits_.output_bytes; }
    const Limits& limits() const { return limits_; }
    std::chrono::steady_clock::duration elapsed() const { return std::chrono::steady_clock::now() - began_; }
    /// Has it ended? Does not wait.
    bool ended();
    /// As waitpid gives it; valid once it has ended.
    int status() const { return status_; }
    /// Kills the process and everything that it started.
    void kill();

  private:
    Limits limits_;
    bool own_group_ = true;
    std::optional<isolation::Box> box_;
    pid_t pid_ = -1;
    int output_fd_ = -1;
    int status_ = 0;
    bool ended_ = false, cleared_ = false; ///< cleared: its own children have ended, too
    std::string output_;
    size_t printed_ = 0;
    std::chrono::steady_clock::time_point began_;
};

/// "segmentation fault (SIGSEGV)", "exit code 3".
std::string describe_status(int status);
/// 128 + signal, or the exit code.
int exit_code(int status);

/// How long the threads of a process have been ready to run while others had the processors; of its main thread only if
/// the process could start threads for the sake of this number. 0: Linux does not count it.
std::chrono::nanoseconds kept_waiting(pid_t process, bool main_thread_only);

/// Registers a child that is not a Process, so that it is killed with the others.
void remember_child(pid_t child);
void forget_child(pid_t child);

/// Call once: orphans become our children, so that nothing keeps running behind our back.
void become_subreaper();

} // namespace process
