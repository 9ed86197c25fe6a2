// One run of one case: a new device, a new process of the student's program, and what happened.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "check/buffer.h"
#include "check/check.h"
#include "check/gpu/device.h"
#include "check/process.h"
#include "check/server.h"
#include "check/student/wire.h"
#include "check/verdict.h"
#include "sim/machine/gpu.h"

namespace check {

/// What to run a case with.
struct RunConfig {
    std::filesystem::path program;
    Target target = sm_90;
    bool gpu = false; ///< on a real one; what follows of the simulated device means nothing then
    /// Not empty: by this command, with NVIDIA's runtime and nothing between it and the GPU. The program gets inputs
    /// and is called; its results are not looked at. What the command prints is the output.
    std::vector<std::string> under;
    uint32_t blocks_per_sm = 0;     ///< of the real one: at most; 0: as many as fit
    size_t only_variant = SIZE_MAX; ///< of what check::measure is asked for, on the simulated device; SIZE_MAX: all
    std::string ptx;                ///< replaces the PTX in the program; empty: the program's own
    sim::machine::Schedule schedule;
    uint64_t data_seed = 1; ///< of the inputs
    uint32_t sms = 4; ///< that the program sees, also on a real one, so that blocks get several tiles; 0: all of those
    uint64_t max_instructions = 400'000'000; ///< thread-instructions per launch
    std::chrono::milliseconds timeout{10'000};
    bool repeat = false; ///< if it passes, repeat what the program asked of the device with other input values
    std::map<std::string, std::string> environment; ///< of the program: where its CUDA runtime lies
    isolation::Box box;                             ///< that the program runs in
    decltype(sim::machine::Options::listener) listener{};
    std::function<void(const std::string& call)> calls{}; ///< is told of each check::call when it begins
};

struct detail::Memory {
    Place place;
    uint64_t address;
    std::vector<std::byte> initial; ///< what it was given at first
};

/// With a recording there is no program: what it asked of the device is asked again, while the random values that the
/// checker puts into buffers are others, sizes and numbers the same. The program had no way of knowing them, so a
/// result that fits them comes from kernels alone: not from the host, nor from what was remembered or known beforehand.
class Session {
  public:
    explicit Session(const RunConfig& config, const Recording* repeated = nullptr);
    ~Session();
    static Session& current(); ///< the one that exists

    // What check.h and expect.h are made of; they throw Failed.
    void call(const std::vector<detail::Slot>& slots);
    uint64_t allocate(Place place, size_t bytes);
    std::vector<std::byte> read(Place place, uint64_t address, size_t bytes);
    void write(Place place, uint64_t address, std::span<const std::byte> contents);
    bool written_by_kernel(uint64_t address, size_t bytes);
    uint64_t random_bits() { return random_(); }
    /// For the contents of buffers: others when the case is repeated.
    uint64_t random_value() { return random_() ^ (repeats_ ? other_values_() : 0); }
    const Trace& trace() const { return trace_; }
    Target target() const { return config_.target; }
    bool on_gpu() const { return config_.gpu || alone(); }
    bool alone() const { return !config_.under.empty(); } ///< nobody looks at results
    uint64_t allocate_filled(size_t bytes);
    void measure(std::string_view variant, uint64_t bytes, const std::vector<detail::Slot>& slots);
    const sim::machine::Schedule& schedule() const { return config_.schedule; }

    /// The case is over: what remains to be found, then the program goes. Throws Failed.
    void finish();
    /// Ends the program. Nothing if it was given memory of the host, which it fills itself.
    std::optional<Recording> recording();
    /// Fills in what the session knows: findings, output, the call.
    void describe(RunResult& result);
    /// A kernel is still running, and nothing can stop it; or the GPU's driver refuses all further work.
    bool device_gone();

  private:
    void start();
    wire::Reply ask(const wire::Request& request, std::span<const std::byte> data = {},
                    std::vector<std::byte>* answer = nullptr);
    wire::Reply receive(std::vector<std::byte>* answer);
    void check_signature(const std::vector<detail::Slot>& slots) const;
    void check_device();
    wire::Request call_request(const std::vector<detail::Slot>& slots);
    double median_time(const std::function<void()>& work); ///< of many, on the GPU
    [[noreturn]] void program_gone();
    void hear_out(); ///< until the program's end

    RunConfig config_;
    std::mt19937_64 random_;
    const Recording* repeats_;
    std::mt19937_64 other_values_;
    bool uses_host_memory_ = false, lost_ = false;
    gpu::GpuDevice* gpu_ = nullptr; ///< the server's, on a real GPU
    Server server_;
    std::optional<Process> process_;
    int control_ = -1, shared_fd_ = -1;
    std::string signature_, call_;
    std::chrono::steady_clock::time_point deadline_;
    Trace trace_;
    std::vector<Measurement> measured_;
};

} // namespace check
