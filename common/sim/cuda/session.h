// What the runtime in a program knows about its run: options from the environment, and where findings go.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/gpu.h"

namespace sim::cuda {

/// A finding of the runtime itself: what the host did too early, or something worth knowing.
struct HostFinding {
    enum class Severity : uint8_t { error, note } severity = Severity::error;
    std::string rule;    ///< "host-read-before-copy"
    std::string message; ///< one or more lines for people
};

class Session {
  public:
    static Session& get();

    /// Device options from ASYNCLAB_SCHEDULE (lazy, eager, random), ASYNCLAB_SEED and ASYNCLAB_SMS.
    machine::Options device_options() const;
    /// File descriptor named by ASYNCLAB_DEVICE=fd:N; -1: the device is in this process.
    int device_fd() const;

    void report(const HostFinding& finding);
    /// A note about the API call that returns to `site`, once per call site.
    void note_once(const void* site, std::string_view rule, std::string_view message);
    /// One line on stderr, once per text.
    void say(std::string_view line);
    /// For what the simulated device cannot do: says why and ends the process with exit_not_supported.
    [[noreturn]] void cannot_run(std::string_view why);
    std::vector<HostFinding> findings();

  private:
    std::mutex mutex_;
    std::vector<HostFinding> findings_;
    std::vector<std::string> said_;
    std::set<std::pair<const void*, std::string>> noted_;
};

/// "main (kernel.cu:41)" for a code address of this process, as well as it can be told.
std::string describe_code(const void* address);

} // namespace sim::cuda
