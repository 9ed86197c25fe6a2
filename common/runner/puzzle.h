// What `./lab break` asks: one instruction is missing, what will be reported?
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "judge/checker.h"

namespace runner {

/// Answers that are no rules.
constexpr std::string_view nothing = "nothing", wrong_result = "wrong-result";

/// The instructions of a source line, in the PTX of one target: several when nvcc has unrolled a loop.
struct SkippedLine {
    judge::Skip skip;
    std::string mnemonic;
    uint32_t line = 0;
};

struct Guess {
    std::string rule;  ///< or `nothing`, `wrong_result`
    uint32_t line = 0; ///< 0: not asked
};

/// The answer's title, in a line.
std::string title(std::string_view answer);

/// One round of the game: the instruction that was skipped, what the device then reported, and the choices.
class Puzzle {
  public:
    using Random = std::mt19937_64;
    /// `mnemonics`: of all that could have been taken out.
    Puzzle(const judge::LabReport& report, const SkippedLine& place, const std::vector<std::string>& mnemonics,
           Random& random);

    static bool is_rule(std::string_view answer) { return answer != nothing && answer != wrong_result; }
    const std::string& rule() const { return rule_; }
    const std::vector<std::string>& choices() const { return choices_; }
    /// Other rules that other cases or threads have met are right as well.
    bool right(const Guess& guess) const { return guess.rule == rule_ || lines_.contains(guess.rule); }
    /// The lines that a report about the guessed rule points to, if there was such a report.
    const std::set<uint32_t>& lines(const Guess& guess) const;
    const judge::LabReport& report() const { return report_; }
    /// A case that fails with rule(), that finding first; none if all cases pass.
    const judge::CaseReport* failure() const { return report_.first_failure() ? &shown_ : nullptr; }

    nlohmann::json to_json() const;

  private:
    void show_case();
    void collect(const sim::hazards::Finding& finding);

    const judge::LabReport& report_;
    judge::CaseReport shown_;
    std::string rule_{nothing};
    std::map<std::string, std::set<uint32_t>> lines_; // of the rules that were reported
    std::vector<std::string> choices_;
};

} // namespace runner
