#include "sim/report/causes.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace sim::hazards {
namespace {

bool has_line(const Finding& finding, const Place& place) {
    const auto is_there = [&](const Place& other) { return other.line == place.line && other.file == place.file; };
    return place.line && (is_there(finding.first) || std::ranges::any_of(finding.others, is_there));
}

bool share_a_line(const Finding& a, const Finding& b) {
    return has_line(a, b.first) ||
           std::ranges::any_of(b.others, [&](const Place& place) { return has_line(a, place); });
}

} // namespace

std::vector<FindingGroup> grouped_by_cause(std::span<const Finding> findings) {
    std::vector<FindingGroup> all;
    for (const Finding& finding : findings) {
        const auto cause = std::ranges::find_if(all, [&](const FindingGroup& group) {
            return finding.severity != Severity::note && group.cause->severity <= finding.severity &&
                   group.cause->kernel == finding.kernel && share_a_line(*group.cause, finding);
        });
        if (cause == all.end())
            all.push_back({&finding, {}});
        else
            cause->consequences.push_back(&finding);
    }
    return all;
}

std::string text(const FindingGroup& group, const ReportStyle& style) {
    const auto words = [&](std::string_view english, const auto&... arguments) {
        return fmt::vformat(style.wording(english), fmt::make_format_args(arguments...));
    };
    std::string out = text(*group.cause, style);
    std::vector<std::string> others;
    for (const Finding* finding : group.consequences)
        others.push_back(finding->first.file == group.cause->first.file
                             ? words("{} (line {})", rule_name(*finding), finding->first.line)
                             : fmt::format("{} ({}:{})", rule_name(*finding),
                                           std::filesystem::path(finding->first.file).filename().string(),
                                           finding->first.line));
    if (!others.empty())
        out += base::wrapped(words("Also reported, and probably a consequence: {}{}.",
                                   fmt::to_string(fmt::join(others, ", ")),
                                   style.all.empty() ? "" : words("; {} shows all in full", style.all)),
                             "  ", style.width);
    return out;
}

} // namespace sim::hazards
