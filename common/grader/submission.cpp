#include "grader/submission.h"

#include <algorithm>
#include <regex>

#include <fmt/format.h>

namespace grader {
namespace {

std::optional<std::string> lab_of(const std::string& path, const std::vector<std::string>& labs) {
    std::vector<std::string> parts;
    for (const auto& part : fs::path(path))
        parts.push_back(part.string());
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        if (const auto lab = lab_named(part->ends_with(".cu") ? part->substr(0, part->size() - 3) : *part, labs))
            return lab;
    return {};
}

// Of several files for one lab the plainest counts: kernel.cu, then the shortest path.
bool better(const std::string& a, const std::string& b) {
    const auto rank = [](const std::string& path) {
        return std::tuple(fs::path(path).filename() != "kernel.cu", path.size(), path);
    };
    return rank(a) < rank(b);
}

} // namespace

std::optional<std::string> lab_named(std::string_view part, const std::vector<std::string>& labs) {
    for (const auto& lab : labs)
        if (part == lab)
            return lab;
    static const std::regex pattern("(?:lab|kernel|exercise)?[ _-]?([0-9]{1,2})(?:[ _-].*)?",
                                    std::regex::icase | std::regex::optimize);
    std::match_results<std::string_view::const_iterator> match;
    if (part.size() > 100 || !std::regex_match(part.begin(), part.end(), match, pattern))
        return {};
    const int number = std::stoi(match[1].str());
    for (const auto& lab : labs)
        if (std::stoi(lab.substr(0, 2)) == number)
            return lab;
    return {};
}

Submission submission(const Reading& reading, const std::vector<std::string>& labs) {
    Submission result;
    result.problems = reading.problems;
    std::vector<std::string> homeless;
    for (const auto& [path, text] : reading.files) {
        const auto lab = lab_of(path, labs);
        if (!lab) {
            homeless.push_back(path);
            continue;
        }
        auto& kernel = result.kernels[*lab];
        if (!kernel.path.empty()) {
            const bool wins = better(path, kernel.path);
            result.problems.push_back(fmt::format("two files for lab {}: {} is graded, {} is not", lab->substr(0, 2),
                                                  wins ? path : kernel.path, wins ? kernel.path : path));
            if (!wins)
                continue;
        }
        kernel = {path, text};
    }
    if (labs.size() == 1 && !homeless.empty() && result.kernels.empty()) {
        const auto best = std::min_element(homeless.begin(), homeless.end(), better);
        if (homeless.size() == 1 || fs::path(*best).filename() == "kernel.cu") {
            result.kernels[labs.front()] = {*best, reading.files.at(*best)};
            homeless.erase(best);
        }
    }
    for (const auto& path : homeless)
        result.problems.push_back(fmt::format("{}: neither its name nor its folders name a lab", path));
    return result;
}

} // namespace grader
