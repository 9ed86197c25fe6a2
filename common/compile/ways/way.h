// The ways to compile a source, which the Compiler tries one after the other until nothing is missing.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/messages.h"
#include "compile/origin.h"

namespace compile {

/// What to compile.
struct Order {
    fs::path source;
    /// A lab's program is fed the PTX of each target; any other program holds its own.
    bool lab = false;
    std::vector<std::string> archs; ///< "compute_90"; the devices of all take a program made for the first
    std::vector<std::string> flags; ///< the user's, for nvcc
    std::string code;               ///< machine code that the program is to hold, too: "sm_90a"; empty: none
    bool stub = false;              ///< linked with the checker's stub
    Ticker ticker;
    // The parts that are still missing:
    std::set<std::string> missing; ///< a lab's PTX, for these
    bool program = true;
    std::map<std::string, fs::path> ptx{}; ///< PTX that exists already
};

struct Program {
    fs::path file;
    std::string interface {};       ///< what its PTX offers to it (host_side.h); of a lab's program only
    Origin origin{};                ///< of a lab's program
    std::set<fs::path> own_files{}; ///< the user's files that came into it, but for the source
};

/// Some or all of the missing parts.
struct Made {
    std::string errors; ///< empty: it worked
    std::string warnings{};
    bool out_of_time = false;
    std::map<std::string, fs::path> ptx{}; ///< may replace PTX that exists already
    std::optional<Program> program{};
};

/// The parts that a way made, or why it leaves them to the next one.
struct Answer {
    std::optional<Made> made{};
    std::string why_not{};
};

class Way {
  public:
    virtual ~Way() = default;
    virtual std::string_view name() const = 0;
    virtual Answer make(const Order& order) const = 0;
};

} // namespace compile
