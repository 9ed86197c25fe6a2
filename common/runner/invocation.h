// The programs of one `./lab run`, and what came of each: what its formats are made from.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runner/run_program.h"
#include "sim/report/causes.h"

namespace runner {

struct Program {
    std::string file;      ///< as the user has given it
    std::string verdict;   ///< Outcome::verdict(), or, if it was not run, "compile-error" or "not-run"
    int exit_code = 0;     ///< of ./lab run, if this were the only program
    Outcome outcome{};     ///< if it was run
    std::string problem{}; ///< why it was not run
    std::string next{};
    std::string details{}; ///< the compiler's words
    std::string again{};   ///< the command that replays it, without a schedule
    std::string again_end{};
    double seconds = 0;
};

struct Invocation {
    std::vector<Program> programs{};
    std::optional<Suppressions> suppressions{};
    bool strict = false;
    bool all = false; ///< consequences by themselves, too
    bool gcc = false; ///< places as compilers print them, for editors
    std::chrono::system_clock::time_point began{}, ended{};

    /// Remarks about the suppression file. An unused entry is an error if `strict`.
    std::vector<SuppressionRemark> remarks() const;
    sim::hazards::Severity severity(const SuppressionRemark& remark) const;
    /// The exit code of a single program. With several: 3 if there is an error in one of them, else the first that is
    /// neither 0 nor 6, else the first that is not 0.
    int exit_code() const;
};

/// Something other than a finding that keeps a program from passing.
struct Trouble {
    std::string name; ///< "timeout", "incomplete"
    std::string what, next;
};
std::vector<Trouble> troubles(const Program& program);

/// The findings that a report shows: each cause with its consequences or, with `all`, every finding on its own.
std::vector<sim::hazards::FindingGroup> grouped_findings(const Program& program, bool all);

} // namespace runner
