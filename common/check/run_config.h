// What to run a case with.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "check/constant.h"
#include "check/lab.h"
#include "isolation/isolation.h"
#include "sim/machine/gpu.h"

namespace check {

class DeviceProcess;

/// Memory of the simulated device: plenty for a lab, and little enough that the checker survives a program that takes
/// it all.
constexpr uint64_t device_memory = uint64_t{1} << 30;
/// Where other programs take the processors, a run gets the time that they kept it waiting: so many times its limit at
/// most.
constexpr int longest_delay = 5;

/// All but the functions and the device can be sent to another process: the list in run_config.cpp has a line for each
/// member.
struct RunConfig {
    std::filesystem::path program;
    Target target = sm_90;
    bool gpu = false; ///< on a real one; what follows of the simulated device means nothing then
    /// Not empty: runs the program by this command, with NVIDIA's runtime and nothing between it and the GPU. The
    /// program gets inputs and is called; its results are ignored. The command's output is the result.
    std::vector<std::string> under;
    uint32_t blocks_per_sm = 0; ///< of the real one: at most; 0: as many as fit
    /// the one variant that check::measure measures, on the simulated device; SIZE_MAX: all
    size_t only_variant = SIZE_MAX;
    std::filesystem::path ptx; ///< a file that replaces the PTX in the program; empty: the program's own
    sim::machine::Schedule schedule;
    uint64_t data_seed = 1;                  ///< of the inputs
    Constants constants;                     ///< of the lab, where they are not the skeleton's
    uint32_t sms = 4;                        ///< that the program sees, even on a real one: the lab's; 0: all of those
    uint64_t max_instructions = 400'000'000; ///< thread-instructions per launch
    std::chrono::milliseconds timeout{10'000}; ///< and what the machine keeps it waiting: longest_delay
    bool protocol = false;                     ///< explore other orders of barrier operations, too
    bool estimate = false;                     ///< the timing model's: RunResult::estimate. Instead of `listener`
    bool means = false;       ///< only how the case works counts: neither hazards nor wrong results end it
    bool repeat = false;      ///< if it passes, repeat the program's requests with other input values
    uint64_t repeat_seed = 0; ///< of those: nothing that a program does is to have a part in it
    std::map<std::string, std::string> environment; ///< of the program: where its CUDA runtime is
    isolation::Box box;                             ///< that the program runs in
    std::filesystem::path source;                   ///< that the program was made from; empty: not known
    decltype(sim::machine::Options::listener) listener{};
    DeviceProcess* device = nullptr; ///< holds the simulated device; nullptr: this process does, for its own programs
    std::function<void(const std::string& call)> calls{}; ///< called with the text of each check::call when it begins
};
nlohmann::json to_json(const RunConfig& config);
RunConfig run_config(const nlohmann::json& json);

} // namespace check
