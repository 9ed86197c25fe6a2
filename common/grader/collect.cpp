#include "grader/collect.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "base/utf8.h"
#include "grader/fields.h"
#include "grader/layouts.h"
#include "grader/reading.h"
#include "grader/submission.h"
#include "grader/text.h"

template <>
inline constexpr auto base::fields<grader::Part> = std::tuple{
    Field{"path", &grader::Part::path},
    Field{"inside", &grader::Part::inside},
    Field{"called", &grader::Part::called},
};

template <>
inline constexpr auto base::fields<grader::Found> = std::tuple{
    Field{"id", &grader::Found::id},
    Field{"from", &grader::Found::from},
    Field{"parts", &grader::Found::parts},
    Field{"students", &grader::Found::students},
    Field{"submitted", &grader::Found::submitted, grader::written::AsTime{}},
    Field{"late", &grader::Found::late},
    Field{"remarks", &grader::Found::remarks},
};

namespace grader {

using nlohmann::json;

namespace {

std::vector<fs::directory_entry> entries(const fs::path& folder) {
    std::error_code problem;
    const fs::directory_iterator all(folder, problem);
    if (problem)
        throw base::Problem{fmt::format("{} cannot be read: {}", folder.string(), problem.message()),
                            "grade as a user who may read it"};
    return {begin(all), end(all)};
}

// Students may be called "01" or "7 Ann": then their folders hold those of labs.
bool holds_labs(const fs::path& folder, const std::vector<std::string>& labs) {
    std::error_code problem;
    const fs::directory_iterator all(folder, problem);
    return std::any_of(begin(all), end(all), [&](const auto& entry) {
        const std::string name = entry.path().filename().string();
        return entry.is_directory(problem) && (name == "labs" || lab_named(name, labs));
    });
}

// The entry that makes a folder one submission; empty: none.
std::string lab_in(const fs::path& folder, const std::vector<std::string>& labs) {
    for (const auto& entry : entries(folder)) {
        std::string name = entry.path().filename().string();
        const bool file = is_source(name);
        std::error_code problem;
        if (!file && !fs::is_directory(entry.symlink_status(problem)))
            continue;
        const std::string bare = file ? name.substr(0, name.size() - 3) : name;
        const bool whole = std::find(labs.begin(), labs.end(), bare) != labs.end();
        if (bare == "labs" || bare == "kernel" || whole ||
            (lab_named(bare, labs) && (file || !holds_labs(entry.path(), labs))))
            return name;
    }
    return {};
}

// Empty: it could be a submission. Else why not.
std::string why_not(const fs::path& path) {
    const std::string name = path.filename().string();
    std::error_code problem;
    const auto status = fs::symlink_status(path, problem);
    if (fs::is_symlink(status))
        return "a link: not followed";
    if (name[0] == '.' || name == "__MACOSX")
        return "hidden";
    if (fs::is_directory(status) || (fs::is_regular_file(status) && is_wanted(name)))
        return {};
    return "no folder, archive or .cu file";
}

void add_plain(Collection& all, const fs::path& path, const std::vector<std::string>& labs, const fs::path& out) {
    if (!fs::is_directory(path)) {
        if (const std::string why = why_not(path); why.empty())
            all.found.push_back(one_submission(path));
        else
            all.ignored.push_back(path.filename().string() + ": " + why);
        return;
    }
    if (const std::string lab = lab_in(path, labs); !lab.empty()) {
        all.found.push_back(one_submission(path));
        all.layouts.push_back(
            fmt::format("{}: one submission, since {} is named after a lab", path.filename().string(), lab));
        return;
    }
    for (const auto& entry : entries(path))
        if (entry.path() == out)
            continue;
        else if (const std::string why = why_not(entry.path()); why.empty())
            all.found.push_back(one_submission(entry.path()));
        else
            all.ignored.push_back(entry.path().filename().string() + ": " + why);
}

void add_download(Collection& all, const fs::path& path, const Layout& layout,
                  const std::map<std::string, Metadata>& metadata) {
    for (const auto& handed : layout.handed) {
        Found one;
        if (layout.platform == "Gradescope") {
            if (const auto known = metadata.find(handed.key); known != metadata.end()) {
                one.students = known->second.students;
                one.submitted = known->second.submitted;
            }
        } else {
            one.students = {handed.student};
        }
        one.id = file_name(one.students.empty() ? handed.key : one.students[0].name + "_" + handed.key);
        const fs::path first = handed.files.empty() ? handed.key : handed.files.begin()->first;
        one.from = (first.has_parent_path() ? first.parent_path() : first).string();
        one.remarks = handed.remarks;
        one.late = handed.late;
        for (const auto& [file, called] : handed.files)
            one.parts.push_back({path, file, called});
        all.found.push_back(std::move(one));
    }
    for (const auto& file : layout.ignored)
        all.ignored.push_back(file);
    all.layouts.push_back(fmt::format("{}: a download from {}, {} submissions", path.filename().string(),
                                      layout.platform, layout.handed.size()));
}

// Where it lies: the same each time that a class is graded.
std::string place_of(const Found& one) {
    return base::valid_utf8(one.parts.empty() ? one.from : one.parts[0].path.string() + "/" + one.from);
}

std::map<std::string, std::string> known_ids(const fs::path& out) {
    std::error_code problem;
    try {
        if (!out.empty() && fs::exists(out / "ids.json", problem))
            return json::parse(base::read_file(out / "ids.json"));
    } catch (const json::exception&) { // then they are given anew
    }
    return {};
}

// Of several with the same id, all but the first get a number; those who had one before keep it.
void give_ids(std::vector<Found>& found, const std::map<std::string, std::string>& known) {
    const auto rank = [](const Found& one) {
        return std::tuple(one.id, one.parts.empty() ? fs::path() : one.parts[0].path);
    };
    const auto sort = [&] {
        std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    };
    sort();
    std::set<std::string> taken;
    std::vector<Found*> others;
    for (auto& one : found) {
        const auto before = known.find(place_of(one));
        const bool same = before != known.end() &&
                          (before->second == one.id || before->second.starts_with(one.id + "-")) &&
                          before->second == file_name(before->second) && taken.insert(before->second).second;
        if (same)
            one.id = before->second;
        else
            others.push_back(&one);
    }
    for (auto* one : others) {
        const std::string base = one->id;
        for (int i = 2; !taken.insert(one->id).second; ++i)
            one->id = fmt::format("{}-{}", base, i);
    }
    sort();
}

} // namespace

void keep_ids(const Collection& all, const fs::path& out) {
    auto ids = known_ids(out);
    for (const auto& one : all.found)
        ids[place_of(one)] = one.id;
    base::write_file(out / "ids.json", json(ids).dump(1) + "\n");
}

Found one_submission(const fs::path& path) {
    const std::string name = path.filename().string();
    std::string id = fs::is_directory(path) ? name : path.stem().string();
    if (id.ends_with(".tar"))
        id.resize(id.size() - 4);
    return {file_name(id), name, {{path, "", ""}}, {}, {}, false, {}};
}

Collection collect(const std::vector<fs::path>& arguments, const std::vector<std::string>& labs, const fs::path& out) {
    Collection all;
    for (const auto& argument : arguments) {
        std::error_code problem;
        const fs::path path = fs::canonical(argument, problem);
        if (problem)
            throw base::Problem{fmt::format("{}: {}", argument.string(), problem.message()),
                                "check the paths of the submissions"};
        if (path == out)
            throw base::Problem{"--out is the folder of submissions itself", "choose another: --out graded"};
        std::vector<std::string> files;
        try {
            files = list_safely(path);
        } catch (const base::Problem&) {
            if (arguments.size() == 1)
                throw; // a whole class, perhaps
        }
        const Layout layout = layout_of(files);
        if (layout.platform.empty()) {
            add_plain(all, path, labs, out);
            continue;
        }
        std::map<std::string, Metadata> metadata;
        for (const auto& file : files)
            if (layout.platform == "Gradescope" && fs::path(file).filename() == "submission_metadata.yml")
                metadata.merge(gradescope_metadata(read_member(path, file)));
        add_download(all, path, layout, metadata);
    }
    give_ids(all.found, known_ids(out));
    return all;
}

std::vector<uint8_t> bytes_of(const Found& found) {
    return json::to_cbor(base::to_json(found));
}

Found found_in(std::istream& bytes) {
    return base::from_json<Found>(json::from_cbor(bytes));
}

} // namespace grader
