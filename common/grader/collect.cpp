#include "grader/collect.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "grader/formats/escape.h"
#include "grader/submission.h"
#include "runner/paths.h"

namespace grader {
namespace {

bool is_submission(const fs::path& path, const std::vector<std::string>& labs) {
    if (!fs::is_directory(path))
        return true;
    return std::any_of(fs::directory_iterator(path), {}, [&](const auto& entry) {
        std::string name = entry.path().filename().string();
        if (name.ends_with(".cu"))
            name.resize(name.size() - 3);
        return name == "labs" || name == "kernel" || lab_named(name, labs);
    });
}

bool could_be(const fs::path& path) {
    const std::string name = path.filename().string();
    std::error_code problem;
    const auto status = fs::symlink_status(path, problem);
    return name[0] != '.' &&
           (fs::is_directory(status) || (fs::is_regular_file(status) && (name.ends_with(".cu") || is_archive(name))));
}

} // namespace

std::vector<Found> collect(const std::vector<fs::path>& arguments, const std::vector<std::string>& labs) {
    std::vector<fs::path> paths;
    for (const auto& argument : arguments) {
        std::error_code problem;
        const fs::path path = fs::canonical(argument, problem);
        if (problem)
            throw runner::Problem{"there is no " + argument.string(), "check the paths of the submissions"};
        if (is_submission(path, labs)) {
            paths.push_back(path);
            continue;
        }
        for (const auto& entry : fs::directory_iterator(path))
            if (could_be(entry.path()))
                paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<Found> found;
    std::set<std::string> taken;
    for (const auto& path : paths) {
        const std::string base = file_name((fs::is_directory(path) ? path.filename() : path.stem()).string());
        std::string id = base;
        for (int i = 2; !taken.insert(id).second; ++i)
            id = fmt::format("{}-{}", base, i);
        found.push_back({id, path});
    }
    return found;
}

} // namespace grader
