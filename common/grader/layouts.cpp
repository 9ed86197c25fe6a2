#include "grader/layouts.h"

#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include "base/text.h"

namespace grader {
namespace {

using base::trimmed;

constexpr auto flags = std::regex::ECMAScript | std::regex::optimize;

// Matching takes stack for each character; longer names are nobody's.
constexpr size_t longest = 300;

struct Place {
    std::vector<std::string> groups; ///< of the match
    std::string rest;                ///< what lies below
};

// The outermost part of a path that matches.
std::optional<Place> part_like(const std::string& path, const std::regex& pattern) {
    for (size_t begin = 0; begin < path.size();) {
        const size_t end = std::min(path.find('/', begin), path.size());
        const std::string name = path.substr(begin, end - begin);
        std::smatch match;
        if (name.size() <= longest && std::regex_match(name, match, pattern))
            return Place{{match.begin(), match.end()}, end < path.size() ? path.substr(end + 1) : ""};
        begin = end + 1;
    }
    return {};
}

Handed& of(Layout& layout, const std::string& key) {
    for (auto& handed : layout.handed)
        if (handed.key == key)
            return handed;
    layout.handed.push_back({key, {}, {}, {}});
    return layout.handed.back();
}

// Folders "Jane Doe_1234567_assignsubmission_file_", or, without folders, files whose names begin so. The number is
// the participant's in the assignment, as in its grading worksheet.
Layout moodle(const std::vector<std::string>& paths) {
    static const std::regex pattern("(.*)_([0-9]+)_assignsubmission_([a-z]+)(?:_(.*))?", flags);
    Layout layout{"Moodle", {}, {}};
    for (const auto& path : paths) {
        const auto place = part_like(path, pattern);
        if (!place) {
            layout.ignored.push_back(path + ": in no student's folder");
            continue;
        }
        const auto& groups = place->groups;
        Handed& handed = of(layout, groups[2]);
        handed.student = {groups[2], groups[1], ""};
        if (groups[3] != "file")
            handed.remarks.push_back(path + ": not an uploaded file");
        else
            handed.files[path] = place->rest.empty() ? groups[4] : place->rest;
    }
    return layout;
}

// "doejane_LATE_12345_678910_kernel-2.cu": sortable name, user id, attachment id, the student's name for the file and
// which resubmission it is.
Layout canvas(const std::vector<std::string>& paths) {
    static const std::regex pattern("([^_]+)_(LATE_)?([0-9]+)_([0-9]+)_(.+)", flags);
    static const std::regex version("(.+?)-([0-9]{1,3})((?:\\.tar)?\\.[^.]+)", flags);
    Layout layout{"Canvas", {}, {}};
    std::map<std::pair<std::string, std::string>, std::pair<int, std::string>> newest; // (user, name) -> version, path
    for (const auto& path : paths) {
        const std::string name = path.substr(path.rfind('/') + 1);
        std::smatch match;
        if (name.size() > longest || !std::regex_match(name, match, pattern)) {
            layout.ignored.push_back(path + ": not named as Canvas names files");
            continue;
        }
        Handed& handed = of(layout, match[3]);
        handed.student = {match[3], match[1], ""};
        if (match[2].matched && handed.remarks.empty())
            handed.remarks.push_back("Canvas calls it late");
        std::string called = match[5];
        int number = 0;
        if (std::smatch parts; std::regex_match(called, parts, version)) {
            number = std::stoi(parts[2]);
            called = parts[1].str() + parts[3].str();
        }
        auto& known = newest[{handed.key, called}];
        if (!known.second.empty()) {
            const auto& older = number > known.first ? known.second : path;
            handed.remarks.push_back(older + ": handed in again since");
            handed.files.erase(older);
        }
        if (known.second.empty() || number > known.first) {
            known = {number, path};
            handed.files[path] = called;
        }
    }
    return layout;
}

// Folders "submission_123456" beside submission_metadata.yml, which says whose they are.
Layout gradescope(const std::vector<std::string>& paths) {
    static const std::regex pattern("submission_[0-9]+", flags);
    Layout layout{"Gradescope", {}, {}};
    for (const auto& path : paths) {
        const auto place = part_like(path, pattern);
        if (place && !place->rest.empty())
            of(layout, place->groups[0]).files[path] = place->rest;
        else if (!path.ends_with("submission_metadata.yml"))
            layout.ignored.push_back(path + ": in no submission's folder");
    }
    return layout;
}

// A scalar: plain, 'quoted' or "quoted".
std::string scalar(std::string_view text) {
    text = trimmed(text);
    if (text.size() < 2 || (text[0] != '\'' && text[0] != '"') || text.back() != text[0])
        return text == "null" || text == "~" ? "" : std::string(text);
    std::string value;
    for (size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[0] == '\'' ? text.substr(i, 2) == "''" : text[i] == '\\')
            ++i;
        value += text[i];
    }
    return value;
}

} // namespace

Layout layout_of(const std::vector<std::string>& paths) {
    static const std::regex file("[^_]+_(?:LATE_)?[0-9]+_[0-9]+_.+", flags);
    size_t named = 0, code = 0;
    bool metadata = false;
    for (const auto& path : paths) {
        if (path.find("_assignsubmission_") != std::string::npos)
            return moodle(paths);
        metadata |= path.ends_with("submission_metadata.yml");
        if (!path.ends_with(".cu") && !is_archive(path))
            continue;
        const std::string name = path.substr(path.rfind('/') + 1);
        named += name.size() <= longest && std::regex_match(name, file);
        ++code;
    }
    if (metadata)
        return gradescope(paths);
    if (2 * named > code) // else it is a student who names files so
        return canvas(paths);
    return {};
}

// The file is written by a program, with two blanks for each level:
//     submission_123:
//       :submitters:
//       - :name: Jane Doe
//         :sid: '4711'
//         :email: jane@example.edu
//       :created_at: 2026-02-01 10:00:00.000000000 Z
// Students choose their names, which are scalars on one line; results and history, deeper down, are skipped.
std::map<std::string, Metadata> gradescope_metadata(std::string_view yaml) {
    std::map<std::string, Metadata> all;
    Metadata* current = nullptr;
    std::string section;
    for (size_t begin = 0; begin < yaml.size();) {
        const size_t end = std::min(yaml.find('\n', begin), yaml.size());
        const std::string_view line = yaml.substr(begin, end - begin);
        begin = end + 1;
        const size_t indent = std::min(line.find_first_not_of(' '), line.size());
        std::string_view text = trimmed(line);
        if (indent == 0 && text.starts_with("submission_") && text.ends_with(':')) {
            current = &all[std::string(text.substr(0, text.size() - 1))];
            section.clear();
            continue;
        }
        if (!current || indent < 2)
            continue;
        const bool item = text.starts_with("- ");
        if (item)
            text = trimmed(text.substr(2));
        const size_t colon = text.find(": ");
        const std::string_view key = text.substr(0, colon);
        const std::string value = colon == std::string_view::npos ? "" : scalar(text.substr(colon + 2));
        if (indent == 2 && !item)
            section = text.ends_with(':') ? std::string(text) : "";
        if (indent == 2 && key == ":created_at")
            current->submitted = time_from(value);
        if (section != ":submitters:" || indent > 4)
            continue;
        if (item)
            current->students.emplace_back();
        if (current->students.empty())
            continue;
        Student& student = current->students.back();
        if (key == ":name")
            student.name = value;
        else if (key == ":sid")
            student.id = value;
        else if (key == ":email")
            student.email = value;
    }
    return all;
}

} // namespace grader
