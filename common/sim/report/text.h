// A finding as people read it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/report/finding.h"

namespace sim::hazards {

struct ReportStyle {
    bool colour = false;
    std::filesystem::path base; ///< file names are shown relative to it
    std::string again;          ///< the command that replays the finding, without its schedule; empty: no such line
    std::string again_end{};    ///< what follows the schedule in it
    size_t width = 0;           ///< of the terminal; 0: lines are as long as they are
    std::string all{};          ///< the option that shows consequences in full; empty: there is none
    /// A format string of the report in another language; what a finding itself says is in that language already.
    std::string_view (*wording)(std::string_view english) = [](std::string_view english) { return english; };
    bool gcc = false; ///< for editors: each place begins with "file:line:column: severity: words"
};
/// The finding with both source lines, why it is wrong and how to replay it.
std::string text(const Finding& finding, const ReportStyle& style);

/// What `./lab explain` knows it by.
std::string rule_name(const Finding& finding);

} // namespace sim::hazards
