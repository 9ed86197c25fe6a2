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

std::vector<Told> causes_first(std::span<const Finding> findings) {
    std::vector<Told> all;
    for (const Finding& finding : findings) {
        const auto cause = std::ranges::find_if(all, [&](const Told& told) {
            return finding.severity != Severity::note && told.cause->severity <= finding.severity &&
                   told.cause->kernel == finding.kernel && share_a_line(*told.cause, finding);
        });
        if (cause == all.end())
            all.push_back({&finding, {}});
        else
            cause->consequences.push_back(&finding);
    }
    return all;
}

std::string text(const Told& told, const ReportStyle& style) {
    std::string out = text(*told.cause, style);
    std::vector<std::string> others;
    for (const Finding* finding : told.consequences)
        others.push_back(finding->first.file == told.cause->first.file
                             ? fmt::format("{} (line {})", rule_name(*finding), finding->first.line)
                             : fmt::format("{} ({}:{})", rule_name(*finding),
                                           std::filesystem::path(finding->first.file).filename().string(),
                                           finding->first.line));
    if (!others.empty())
        out += base::wrapped(fmt::format("Also reported, and probably a consequence: {}{}.", fmt::join(others, ", "),
                                         style.all.empty() ? "" : "; " + style.all + " shows all in full"),
                             "  ", style.width);
    return out;
}

} // namespace sim::hazards
