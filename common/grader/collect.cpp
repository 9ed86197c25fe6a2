#include "grader/collect.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/files.h"
#include "base/problem.h"
#include "base/utf8.h"
#include "grader/lab_names.h"
#include "grader/layouts.h"
#include "grader/reading.h"
#include "grader/result/fields.h"
#include "grader/result/text.h"

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

// Is this one of the entries that a clone of this repository has beside labs/?
bool is_of_tree(const fs::path& entry) {
    static const std::set<std::string> folders{"labs", "solutions", "common", "tests", "docs", "build"};
    return folders.contains(entry.filename().string()) && fs::is_directory(entry.parent_path() / "labs");
}

// The person that a file's name names beside the lab: "ada" in "lab03_Ada.cu". Words of the lab's own name do not
// count.
std::string person_in(const LabName& name, const std::vector<std::string>& labs) {
    const std::string person = lower(name.person);
    for (const auto& lab : labs)
        if (std::stoi(lab.substr(0, 2)) == name.number && lab.find(person) != std::string::npos)
            return {};
    return person;
}

// The name of the lab, if a folder with these entries is one submission; else empty. A single entry can be a student's
// file among those of others.
std::string lab_in(const std::vector<fs::path>& entries, const std::vector<std::string>& labs) {
    std::string example;
    std::set<std::string> persons;
    size_t plain = 0, with_person = 0;
    for (const auto& entry : entries) {
        const std::string name = entry.filename().string(), bare(without_ending(name));
        const bool folder = fs::is_directory(entry);
        if (!folder && !is_source(name))
            continue;
        const auto lab = lab_name(bare);
        const std::string person = lab ? person_in(*lab, labs) : "";
        const bool of_lab = lab && lab->sure && !(folder && holds_labs(entry, labs));
        if (std::ranges::find(labs, bare) != labs.end() || lower(bare) == "kernel" || is_of_tree(entry) ||
            (of_lab && person.empty())) {
            ++plain;
        } else if (of_lab) {
            ++with_person;
            persons.insert(person);
        } else {
            continue;
        }
        example = example.empty() ? name : example;
    }
    const size_t all = plain + (persons.size() > 1 ? 0 : with_person); // of several persons: it is a class
    return all > 0 && 2 * all >= entries.size() ? example : "";
}

// Files that one person has named after different labs are one submission.
void add_file(Collection& all, const fs::path& path, const std::vector<std::string>& labs) {
    Found one = one_submission(path);
    const auto name = lab_name(without_ending(path.filename().string()));
    const std::string person = name && name->sure ? person_in(*name, labs) : "";
    if (!person.empty()) {
        one.id = file_name(person);
        const auto same = [&](const Found& other) {
            return other.person == person && other.parts[0].path.parent_path() == path.parent_path() &&
                   !other.numbers.contains(name->number);
        };
        if (const auto known = std::ranges::find_if(all.found, same); known != all.found.end()) {
            known->parts.push_back(one.parts[0]);
            known->numbers.insert(name->number);
            return;
        }
        one.person = person;
        one.numbers.insert(name->number);
    }
    all.found.push_back(std::move(one));
}

void add_plain(Collection& all, const fs::path& path, const std::vector<std::string>& labs, const fs::path& out) {
    const auto add = [&](const fs::path& entry) {
        if (const std::string why = why_not(entry); !why.empty())
            all.ignored.push_back({entry.filename().string(), why});
        else if (fs::is_directory(entry))
            all.found.push_back(one_submission(entry));
        else
            add_file(all, entry, labs);
    };
    if (!fs::is_directory(path)) {
        add(path);
        return;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : entries(path))
        if (entry.path() != out)
            inside.push_back(entry.path());
    std::ranges::sort(inside);
    std::vector<fs::path> wanted;
    std::ranges::copy_if(inside, std::back_inserter(wanted), [](const auto& entry) { return why_not(entry).empty(); });
    if (const std::string lab = lab_in(wanted, labs); !lab.empty()) {
        all.found.push_back(one_submission(path));
        all.layouts.push_back(
            fmt::format("{}: one submission, since {} is named after a lab", path.filename().string(), lab));
        return;
    }
    for (const auto& entry : inside)
        add(entry);
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

// Where the submission is: the same each time that a class is graded.
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

// If several have the same id, all but the first get a number; those who had one before keep it.
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
    std::string id = fs::is_directory(path) ? name
                     : is_source(name)      ? std::string(without_ending(name))
                                            : path.stem().string();
    if (id.ends_with(".tar"))
        id.resize(id.size() - 4);
    return {.id = file_name(id), .from = name, .parts = {{path, "", ""}}};
}

Collection collect(const std::vector<fs::path>& arguments, const std::vector<std::string>& labs, const fs::path& out,
                   const std::string& platform) {
    Collection all;
    const bool alone = arguments.size() == 1;
    for (const auto& argument : arguments) {
        std::error_code problem;
        const fs::path path = fs::canonical(argument, problem);
        if (problem)
            throw base::Problem{fmt::format("{}: {}", argument.string(), problem.message()),
                                "check the paths of the submissions"};
        if (path == out)
            throw base::Problem{"--out is the folder of submissions itself", "choose another: --out graded"};
        Layout layout;
        std::vector<std::string> files;
        try {
            files = list_safely(path);
            layout = layout_of(files, platform == "none" ? "" : platform);
        } catch (const base::Problem&) {
            if (alone)
                throw; // a whole class, perhaps
        }
        if (platform == "none")
            layout = {};
        if (!platform.empty() && platform != "none" && layout.handed.empty())
            throw base::Problem{fmt::format("{} is no download from {}: nothing in it is named so",
                                            path.filename().string(), layout.platform),
                                "leave out --platform, or name another one"};
        if (platform.empty() && !alone && !layout.platform.empty()) {
            layout.doubt =
                fmt::format("named like a download from {}, but of several arguments each is a submission or "
                            "a folder of them; --platform {} takes it apart",
                            layout.platform, lower(layout.platform));
            layout.platform = {};
        }
        if (!layout.doubt.empty())
            all.layouts.push_back(fmt::format("{}: {}", path.filename().string(), layout.doubt));
        if (layout.platform.empty()) {
            add_plain(all, path, labs, out);
            continue;
        }
        std::map<std::string, Metadata> metadata;
        if (layout.platform == "Gradescope")
            metadata = gradescope_metadata(read_member(path, gradescope_metadata_file(files)));
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
