// The record of one hazard rule. Each is in a file of its own beside this one, named like the record, with the function
// that recognises it and words its message; reports, `lab explain`, `lab break` and the hazard reference all use it.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/diagnosis/facts.h"
#include "sim/diagnosis/severity.h"

namespace sim::hazards {

/// A program without one of these instructions may be reported by the rule: the wrong answers of `lab break`.
struct Suspicion {
    std::string_view missing; ///< beginning of the mnemonic
    int likelihood;           ///< 1: the likeliest
};

/// Prose, written over several lines, that is output as one line.
class Paragraph {
  public:
    constexpr Paragraph(const char* written = "") : written_(written) {}
    std::string text() const;

  private:
    std::string_view written_;
};

struct Rule {
    std::string_view name;               ///< "read-before-completion"
    Severity severity = Severity::error; ///< of the worst that it reports
    bool if_wrong = false;   ///< legal and often intended: worth telling only if the program's result is wrong
    bool symptom = false;    ///< says where the program has stopped, not why: another schedule may show the cause
    std::string_view title;  ///< one line: "Bytes are read while an asynchronous copy is still writing them"
    Paragraph why;           ///< why it is wrong, in the field's language; a short paragraph
    Paragraph remedy;        ///< what usually fixes it; used when a report has nothing more exact to say
    std::string_view manual; ///< URL of the section that says so
    std::optional<Explanation> (*explain)(const Facts&) = nullptr; ///< nullopt: these facts are not its business
    /// If that one is found between the same two lines, too, it knows better: elsewhere in the run the instruction that
    /// this one misses has been executed.
    const Rule* rather = nullptr;
    std::initializer_list<Suspicion> suspected = {};
    std::string_view suspected_with = {}; ///< and the program has an instruction with this in its mnemonic
    std::string_view wrong;               ///< a complete small program that this rule reports
    std::string_view changes;             ///< what makes it correct: base::with_changes
    std::string right() const;            ///< the program with these changes
};

/// All rules, in the order of the list: the first one that explains the facts names them.
std::span<const Rule* const> rules();
/// For what people type; nullptr: no rule has this name.
const Rule* find_rule(std::string_view name);

} // namespace sim::hazards
