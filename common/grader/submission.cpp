#include "grader/submission.h"

#include <algorithm>
#include <regex>

#include <fmt/format.h>
#include <strings.h>

#include "check/lab.h"

namespace grader {
namespace {

// "03" of "lab03.cu", "实验 03" and "第3次"; nothing if the name has no number where labs have theirs.
std::optional<int> number_in(std::string_view part) {
    static const std::regex pattern("(?:lab|kernel|exercise|实验|實驗|作业|作業|练习|練習|习题|第)?[ _-]?([0-9]{1,2})"
                                    "(?:次|题|題)?(?:[ _-].*)?",
                                    std::regex::icase | std::regex::optimize);
    std::string plain(part.substr(0, 101));
    for (size_t at; (at = plain.find("\xef\xbc")) != std::string::npos && at + 2 < plain.size();) { // full-width digits
        const int digit = static_cast<unsigned char>(plain[at + 2]) - 0x90;
        if (digit < 0 || digit > 9)
            break;
        plain.replace(at, 3, 1, static_cast<char>('0' + digit));
    }
    std::smatch match;
    if (part.size() > 100 || !std::regex_match(plain, match, pattern))
        return {};
    return std::stoi(match[1].str());
}

// The innermost part of a path that names one of these labs.
std::optional<std::string> lab_of(const std::string& path, const std::vector<std::string>& labs) {
    std::vector<std::string> parts;
    for (const auto& part : fs::path(path))
        parts.push_back(part.string());
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        if (const auto lab = lab_named(is_source(*part) ? part->substr(0, part->size() - 3) : *part, labs))
            return lab;
    return {};
}

std::vector<std::string> all_labs() {
    std::vector<std::string> names;
    for (const auto& lab : check::labs())
        names.emplace_back(lab.name);
    return names;
}

bool is_kernel(const std::string& path) {
    const std::string name = fs::path(path).filename();
    return strcasecmp(name.c_str(), "kernel.cu") == 0;
}

// Of several files for one lab the plainest counts: kernel.cu, then the shortest path.
bool better(const std::string& a, const std::string& b) {
    const auto rank = [](const std::string& path) { return std::tuple(!is_kernel(path), path.size(), path); };
    return rank(a) < rank(b);
}

} // namespace

std::optional<std::string> lab_named(std::string_view part, const std::vector<std::string>& labs) {
    for (const auto& lab : labs)
        if (part == lab)
            return lab;
    const auto number = number_in(part);
    for (const auto& lab : labs)
        if (number && std::stoi(lab.substr(0, 2)) == *number)
            return lab;
    return {};
}

Submission submission(const Reading& reading, const std::vector<std::string>& labs) {
    Submission result;
    result.problems = reading.problems;
    std::vector<std::string> homeless;
    const auto every_lab = all_labs();
    for (const auto& [path, text] : reading.files) {
        const auto lab = lab_of(path, labs);
        if (!lab) {
            // A file for another lab is never one for this.
            if (const auto other = lab_of(path, every_lab))
                result.problems.push_back(
                    fmt::format("{} is for lab {}, which is not graded now", path, other->substr(0, 2)));
            else
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
        if (homeless.size() == 1 || is_kernel(*best)) {
            result.kernels[labs.front()] = {*best, reading.files.at(*best)};
            homeless.erase(best);
        }
    }
    for (const auto& path : homeless)
        result.problems.push_back(fmt::format("{}: neither its name nor its folders name a lab", path));
    if (result.kernels.empty() && result.problems.empty())
        result.problems.emplace_back("there is nothing in it that could be graded: no kernel.cu for any lab");
    return result;
}

} // namespace grader
