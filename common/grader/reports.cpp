#include "grader/reports.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/files.h"
#include "base/problem.h"
#include "check/lab.h"
#include "grader/formats/formats.h"
#include "grader/overrides.h"
#include "grader/result/text.h"
#include "judge/skeleton.h"

namespace grader {

std::vector<Result> read_results(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code problem;
    if (fs::is_regular_file(folder, problem))
        files.push_back(folder);
    for (const auto& entry : fs::directory_iterator(folder, problem))
        if (entry.path().extension() == ".json")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Result> results;
    const Overrides overrides = Overrides::beside(folder);
    for (const auto& file : files) {
        results.push_back(read_result(file));
        overrides.apply(results.back());
    }
    if (results.empty())
        throw base::Problem{"there are no results in " + folder.string(),
                            "grade first: ./lab grade submissions/ --out graded/"};
    if (fs::is_directory(folder))
        for (const auto& name : overrides.unknown(results))
            fmt::print(stderr, "overrides.toml: there is no result of {}\n", base::plain(name));
    return results;
}

std::vector<Pair> read_pairs(const fs::path& out) {
    const fs::path file = out / "similarity.csv";
    return fs::is_regular_file(file) ? pairs_from(base::read_file(file)) : std::vector<Pair>{};
}

namespace {

void write_reports(const fs::path& out, const std::vector<Result>& results) {
    const auto alike = read_pairs(out);
    std::set<std::string> files, folders;
    for (const Format* format : formats()) {
        const std::string name(format->report), extension(format->extension);
        if (!name.empty() && format->of == Format::Of::all) {
            base::write_file(out / files.insert(name + extension).first->c_str(),
                             format->write({.results = results, .alike = alike}).text);
        } else if (!name.empty()) {
            folders.insert(name + "/");
            for (const auto& result : results) {
                const std::vector<Result> one{result};
                base::write_file(out / name / (file_name(result.submission) + extension),
                                 format->write({.results = one}).text);
            }
        }
    }
    fmt::print("wrote {}, {} in {}\n", fmt::join(files, ", "), fmt::join(folders, " and "), out.string());
}

// Some have no score: says whose.
bool all_recognised(const std::vector<Result>& results, const fs::path& out) {
    std::string list;
    for (const auto& result : results)
        if (result.undecided())
            list += base::plain(fmt::format("     {}: {}\n", result.submission, fmt::join(result.unrecognised, ", ")));
    if (!list.empty())
        fmt::print(stderr,
                   "lab: error: these submissions have no score, since files in them name no lab and others are "
                   "missing:\n{}     next: rename the files (lab03.cu) and grade again, or decide in {}\n",
                   list, (out / "overrides.toml").string());
    return list.empty();
}

} // namespace

bool merge(const base::Paths& paths, const fs::path& folder, bool similarity) {
    const fs::path out = fs::absolute(folder);
    if (similarity) { // first: the reports name those pairs
        std::map<std::string, std::string> skeletons;
        for (const auto& lab : check::labs())
            skeletons[std::string(lab.name)] = judge::skeleton(paths, lab.name).text;
        const auto pairs = similar(read_results(out / "results"), skeletons);
        base::write_file(out / "similarity.csv", csv(pairs));
        fmt::print("{} pairs of submissions are alike: {}. Similarity alone proves nothing: read them\n", pairs.size(),
                   (out / "similarity.csv").string());
    }
    const auto results = read_results(out / "results");
    write_reports(out, results);
    return all_recognised(results, out);
}

} // namespace grader
