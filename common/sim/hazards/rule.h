// The record of one hazard rule. Each lives in a file of its own under rules/; reports, `lab explain` and the hazard
// reference all come from it.
#pragma once

#include <span>
#include <string_view>

namespace sim::hazards {

enum class Severity { error, note };

struct Rule {
    std::string_view name;    ///< "read-before-completion"
    Severity severity = Severity::error;
    std::string_view title;   ///< one line: "Bytes are read while an asynchronous copy is still writing them"
    std::string_view why;     ///< why it is wrong, in the field's language; a short paragraph
    std::string_view remedy;  ///< what usually fixes it; used when a report has nothing more exact to say
    std::string_view manual;  ///< URL of the section that says so
    std::string_view wrong;   ///< a complete small program that this rule reports
    std::string_view right;   ///< its nearest correct neighbour
};

/// All rules, in the order of the list.
std::span<const Rule* const> rules();
/// nullptr: no rule has this name.
const Rule* find_rule(std::string_view name);

} // namespace sim::hazards
