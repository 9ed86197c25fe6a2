// The runtime's knowledge about its run: options from the environment, and where findings go.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/gpu.h"

namespace sim::cuda {

class Session {
  public:
    static Session& get();

    /// Device options from ASYNCLAB_SCHEDULE (lazy, eager, random), ASYNCLAB_SEED, ASYNCLAB_SMS
    /// (how many SMs) and ASYNCLAB_SM (80 or 90: which PTX is chosen).
    machine::Options device_options() const;
    /// File descriptor named by ASYNCLAB_DEVICE=fd:N or gpu:N; -1: the device is in this process.
    int device_fd() const;
    /// ASYNCLAB_DEVICE=gpu:N: a real GPU is at the other end.
    bool real_device() const;
    /// ASYNCLAB_PTX=device: the device has the PTX already, and ignores the PTX that the program sends.
    bool device_has_ptx() const;

    /// Name of the file that findings are written to as JSON (ASYNCLAB_JSON); empty: none.
    std::string json_file() const;
    /// True for the first call for the API call that returns to `site`.
    bool first_time(const void* site);
    /// One line on stderr, once per text.
    void say(std::string_view line);
    /// Reports what the simulated device cannot do and ends the process with exit_not_supported.
    [[noreturn]] void cannot_run(std::string_view why);

  private:
    std::mutex mutex_;
    std::vector<std::string> said_;
    std::set<const void*> sites_;
};

/// Reports to the device a CUDA function that was refused (runtime.cpp).
void report_refused(std::string_view function);

/// The place of a code address of this process in the program's source, as far as it is known.
struct CodePlace {
    std::string file; ///< empty: the program was built without -g
    uint32_t line = 0;
    std::string function; ///< "main+0x41"
};
/// `returns`: the address is where a call returns to; the place is the call's.
CodePlace code_place(const void* address, bool returns);
/// The first of these frames that is in the program's own source: an instruction (or nullptr), then the addresses that
/// the calls around it return to, innermost first. If no source is known: the first one in the program itself.
CodePlace first_own_place(const std::vector<const void*>& frames);
/// The place of a call that is being made, by its return address: in the program, not in a template of cuda_runtime.h.
CodePlace calling_place(const void* address);

} // namespace sim::cuda
