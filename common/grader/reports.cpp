#include "grader/reports.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "check/lab.h"
#include "grader/formats/escape.h"
#include "grader/formats/formats.h"
#include "grader/grade.h"
#include "grader/overrides.h"

namespace grader {

std::vector<json> read_results(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code problem;
    if (fs::is_regular_file(folder, problem))
        files.push_back(folder);
    for (const auto& entry : fs::directory_iterator(folder, problem))
        if (entry.path().extension() == ".json")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<json> results;
    const Overrides overrides = Overrides::beside(folder);
    for (const auto& file : files)
        try {
            json result = json::parse(base::read_file(file));
            overrides.apply(result);
            if (result.at("format") != format_version)
                throw base::Problem{file.string() + " was made by another version of asynclab", "grade again"};
            const std::vector<json> one{result};
            for (const Format* format : formats()) // are all fields there?
                if (format->of == Format::Of::all)
                    std::ignore = format->write({.results = one});
            results.push_back(std::move(result));
        } catch (const json::exception&) {
            throw base::Problem{file.string() + " is damaged, or no result of ./lab grade",
                                "remove it and grade again"};
        }
    if (results.empty())
        throw base::Problem{"there are no results in " + folder.string(),
                            "grade first: ./lab grade submissions/ --out graded/"};
    if (fs::is_directory(folder))
        for (const auto& name : overrides.unknown(results))
            fmt::print(stderr, "overrides.toml: there is no result of {}\n", plain(name));
    return results;
}

std::vector<Pair> read_pairs(const fs::path& out) {
    const fs::path file = out / "similarity.csv";
    return fs::is_regular_file(file) ? pairs_from(base::read_file(file)) : std::vector<Pair>{};
}

namespace {

void write_reports(const fs::path& out) {
    const auto results = read_results(out / "results");
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
                const std::vector<json> one{result};
                base::write_file(out / name / (file_name(result.at("submission").get<std::string>()) + extension),
                                 format->write({.results = one}).text);
            }
        }
    }
    fmt::print("wrote {}, {} in {}\n", fmt::join(files, ", "), fmt::join(folders, " and "), out.string());
}

} // namespace

void merge(const base::Paths& paths, const fs::path& folder, bool similarity) {
    const fs::path out = fs::absolute(folder);
    if (similarity) { // first: the reports name those pairs
        std::map<std::string, std::string> skeletons;
        for (const auto& lab : check::labs())
            skeletons[std::string(lab.name)] = base::read_file(paths.published(lab.name));
        const auto pairs = similar(read_results(out / "results"), skeletons);
        base::write_file(out / "similarity.csv", csv(pairs));
        fmt::print("{} pairs of submissions are alike: {}. Similarity alone proves nothing: read them\n", pairs.size(),
                   (out / "similarity.csv").string());
    }
    write_reports(out);
}

} // namespace grader
