#include "grader/submission.h"

#include <algorithm>

#include <fmt/format.h>

#include "check/lab.h"
#include "grader/lab_names.h"

namespace grader {
namespace {

struct Named {
    std::string lab;
    bool sure = true; ///< LabName::sure
};

// The innermost part of a path that names one of these labs. What only could mean a lab counts last, and only in the
// name of a file.
std::optional<Named> lab_of(const std::string& path, const std::vector<std::string>& labs) {
    std::vector<std::string> parts;
    for (const auto& part : fs::path(path))
        parts.push_back(part.string());
    std::ranges::reverse(parts);
    for (const auto& part : parts)
        if (const auto lab = lab_named(without_ending(part), labs))
            return Named{*lab, true};
    for (const auto& part : parts)
        if (is_source(part) || is_archive(part))
            if (const auto name = lab_name(without_ending(part)))
                for (const auto& lab : labs)
                    if (std::stoi(lab.substr(0, 2)) == name->number)
                        return Named{lab, false};
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
    return is_source(name) && lower(without_ending(name)) == "kernel";
}

// If there are several files for one lab, the plainest counts: one that surely is for it, kernel.cu, then the shortest
// path.
bool better(const std::string& a, bool a_sure, const std::string& b, bool b_sure) {
    const auto rank = [](const std::string& path, bool sure) {
        return std::tuple(!sure, !is_kernel(path), path.size(), path);
    };
    return rank(a, a_sure) < rank(b, b_sure);
}

} // namespace

Submission submission(const Reading& reading, const std::vector<std::string>& labs) {
    Submission result;
    result.problems = reading.problems;
    std::vector<std::string> homeless;
    std::map<std::string, bool> sure; ///< by lab
    const auto every_lab = all_labs();
    for (const auto& [path, text] : reading.files) {
        const auto lab = lab_of(path, labs);
        if (!lab) {
            // A file for another lab is never one for this.
            if (const auto other = lab_of(path, every_lab); other && other->sure)
                result.problems.push_back(
                    fmt::format("{} is for lab {}, which is not graded now", path, other->lab.substr(0, 2)));
            else
                homeless.push_back(path);
            continue;
        }
        auto& kernel = result.kernels[lab->lab];
        if (!kernel.path.empty()) {
            const bool wins = better(path, lab->sure, kernel.path, sure[lab->lab]);
            result.problems.push_back(fmt::format("two files for lab {}: {} is graded, {} is not",
                                                  lab->lab.substr(0, 2), wins ? path : kernel.path,
                                                  wins ? kernel.path : path));
            if (!wins)
                continue;
        }
        kernel = {path, text};
        sure[lab->lab] = lab->sure;
    }
    if (labs.size() == 1 && !homeless.empty() && result.kernels.empty()) {
        const auto best =
            std::ranges::min_element(homeless, [](const auto& a, const auto& b) { return better(a, true, b, true); });
        if (homeless.size() == 1 || is_kernel(*best)) {
            result.kernels[labs.front()] = {*best, reading.files.at(*best)};
            homeless.erase(best);
        }
    }
    result.unrecognised = homeless;
    for (const auto& path : homeless)
        result.problems.push_back(fmt::format("{}: neither its name nor its folders name a lab", path));
    if (result.kernels.empty() && result.problems.empty())
        result.problems.emplace_back("there is nothing in it that could be graded: no kernel.cu for any lab");
    return result;
}

} // namespace grader
