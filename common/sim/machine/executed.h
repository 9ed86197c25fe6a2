// How the instructions of the kernels that ran were executed: as the manual says, approximately, or not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::machine {

struct DecodedFunction;

/// Numbers are of instructions in the PTX, however often threads execute them.
struct Executed {
    struct Site {
        std::string what; ///< the instruction: "ex2.approx.ftz.f32"; or a CUDA function
        std::string how;  ///< how it departs from the manual, or why it was not executed
        std::string file;
        uint32_t line = 0;  ///< 0: not known
        bool judged = true; ///< the hazard detector knows all of its effects
        bool operator==(const Site&) const = default;
    };
    struct Kernel {
        std::string name; ///< without parameters: "stage<4>"
        std::string file;
        uint32_t line = 0; ///< 0: not known
        bool operator==(const Kernel&) const = default;
    };
    uint64_t exactly = 0;
    uint64_t not_reached = 0;        ///< in functions that ran, but no thread came by
    std::vector<Site> approximately; ///< each once
    std::vector<Site> refused;       ///< reached and not executed; each once
    std::vector<Kernel> kernels{};   ///< that ran
    std::vector<Kernel> unused{};    ///< that did not, although their module was loaded

    /// What another run executed: the places of both, by file and line, and the numbers of the one that reached more.
    void join(const Executed& other);
};

/// Lets the function remember which of its instructions are executed. That costs each of them one call more, once.
void watch_execution(DecodedFunction& function);
/// Has any thread begun to execute it?
bool has_run(const DecodedFunction& function);
/// The numbers of the ops of a watched function that have been executed, and the same for a copy of it elsewhere.
std::vector<uint32_t> executed_ops(const DecodedFunction& function);
void mark_executed(DecodedFunction& function, const std::vector<uint32_t>& ops);
/// Adds the instructions that a watched function has executed.
void add_executed(const DecodedFunction& function, Executed& to);

} // namespace sim::machine
