#include "runner/formats/format.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/problem.h"
#include "base/utf8.h"
#include "sim/ptx/source_texts.h"
#include "sim/report/text.h"

namespace runner::formats {
namespace {

constexpr Format all_formats[] = {
    {"text", text, true, false},   {"gcc", gcc, true, false},     {"github", github, false, false},
    {"sarif", sarif, false, true}, {"junit", junit, false, true},
};

} // namespace

Wanted wanted(const std::string& argument) {
    const size_t colon = argument.find(':');
    const std::string name = argument.substr(0, colon);
    const auto* found = std::ranges::find(all_formats, name, &Format::name);
    if (found == std::end(all_formats))
        throw base::Problem{fmt::format("there is no format '{}'", name),
                            "the formats are text, gcc, github, sarif and junit; sarif:FILE writes to a file"};
    if (colon == argument.size() - 1)
        throw base::Problem{fmt::format("--format {} names no file", argument),
                            fmt::format("--format {}:FILE, or --format {} for stdout", name, name)};
    return {found, colon == argument.npos ? "" : argument.substr(colon + 1)};
}

Root::Root() : folder_(fs::current_path()) {
    std::error_code problem;
    for (fs::path folder = folder_;; folder = folder.parent_path()) {
        if (fs::exists(folder / ".git", problem)) {
            folder_ = folder;
            return;
        }
        if (folder == folder.parent_path())
            return;
    }
}

std::string Root::whole(const std::string& file) {
    std::error_code problem;
    const fs::path path = fs::weakly_canonical(file, problem);
    return problem ? file : path.generic_string();
}

std::optional<std::string> Root::inside(const std::string& file) const {
    const fs::path relative = fs::path(whole(file)).lexically_relative(folder_);
    if (relative.empty() || *relative.begin() == "..")
        return std::nullopt;
    return relative.generic_string();
}

std::string_view Sources::line(const std::string& file, uint32_t number) {
    auto [at, is_new] = files_.try_emplace(file);
    if (is_new) {
        std::istringstream in(sim::ptx::source_text(file));
        for (std::string line; std::getline(in, line);)
            at->second.push_back(base::valid_utf8(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line));
    }
    return number && number <= at->second.size() ? at->second[number - 1] : std::string_view{};
}

std::string what(const sim::hazards::Place& place) {
    const std::string threads = place.threads.text();
    return threads.empty() ? place.action : threads + (place.action.empty() ? "" : " " + place.action);
}

std::string why(const sim::hazards::Finding& finding) {
    return finding.message + (finding.message.empty() || finding.remedy.empty() ? "" : "\n") + finding.remedy;
}

std::string consequences(const sim::hazards::FindingGroup& group, const Root& root) {
    std::string text;
    for (const auto* finding : group.consequences)
        text += fmt::format("{}{} ({}:{})", text.empty() ? "" : ", ", sim::hazards::rule_name(*finding),
                            root.shown(finding->first.file), finding->first.line);
    return text.empty() ? text : "Also reported, and probably a consequence: " + text + ".";
}

} // namespace runner::formats
