#include "grader/layouts.h"

#include <algorithm>
#include <array>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace grader {
namespace {

using base::trimmed;

constexpr auto flags = std::regex::ECMAScript | std::regex::optimize;

// Matching takes stack for each character, and no platform writes longer names.
constexpr size_t longest = 300;

const std::regex moodle_place("(.*?)_([0-9]+)_assignsubmission_([a-z]+)(?:_(.*))?", flags);
const std::regex gradescope_place("submission_[0-9]+", flags);

struct Place {
    std::vector<std::string> groups; ///< of the match
    std::string rest;                ///< the path below
};

// The length of the folder that contains the whole download, in each path. Platforms name only the entries directly
// inside it; students name everything deeper, so those names mean nothing.
size_t root_of(const std::vector<std::string>& paths) {
    const size_t root = paths.empty() ? 0 : paths[0].find('/') + 1;
    return std::ranges::all_of(paths, [&](const auto& path) { return path.compare(0, root, paths[0], 0, root) == 0; })
               ? root
               : 0;
}

// The folder or file in the download that a path leads to, if it is named like this.
std::optional<Place> place_like(const std::string& path, size_t root, const std::regex& pattern) {
    const size_t end = std::min(path.find('/', root), path.size());
    const std::string name = path.substr(root, end - root);
    std::smatch match;
    if (name.size() > longest || !std::regex_match(name, match, pattern))
        return {};
    return Place{{match.begin(), match.end()}, end < path.size() ? path.substr(end + 1) : ""};
}

// A download of one student has the folder that is named for them as its root.
size_t download_root(const std::vector<std::string>& paths, const std::regex& pattern) {
    return !paths.empty() && place_like(paths[0], 0, pattern) ? 0 : root_of(paths);
}

Handed& of(Layout& layout, const std::string& key) {
    for (auto& handed : layout.handed)
        if (handed.key == key)
            return handed;
    layout.handed.push_back({key, {}, {}, false, {}});
    return layout.handed.back();
}

// Folders "Jane Doe_1234567_assignsubmission_file_", or, without folders, files whose names begin so. The number is
// the participant's in the assignment, as in its grading worksheet.
Layout moodle(const std::vector<std::string>& paths) {
    Layout layout{"Moodle", {}, {}};
    const size_t root = download_root(paths, moodle_place);
    for (const auto& path : paths) {
        const auto place = place_like(path, root, moodle_place);
        if (!place) {
            layout.ignored.push_back({path, "in no student's folder"});
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
    const size_t root = root_of(paths);
    for (const auto& path : paths) {
        const std::string name = path.substr(path.rfind('/') + 1);
        std::smatch match;
        if (name.size() > longest || !std::regex_match(name, match, pattern)) {
            layout.ignored.push_back({path, "not named as Canvas names files"});
            continue;
        }
        if (path.find('/', root) != path.npos) {
            layout.ignored.push_back({path, "in a folder, where students choose names: Canvas makes none"});
            continue;
        }
        Handed& handed = of(layout, match[3]);
        handed.student = {match[3], match[1], ""};
        if (match[2].matched && handed.remarks.empty())
            handed.remarks.push_back("Canvas calls it late");
        handed.late = handed.late || match[2].matched;
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
    Layout layout{"Gradescope", {}, {}};
    const size_t root = root_of(paths);
    for (const auto& path : paths) {
        const auto place = place_like(path, root, gradescope_place);
        if (place && !place->rest.empty())
            of(layout, place->groups[0]).files[path] = place->rest;
        else if (!path.ends_with("submission_metadata.yml"))
            layout.ignored.push_back({path, "in no submission's folder"});
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

Layout layout_of(const std::vector<std::string>& paths, std::string_view platform) {
    static const std::regex file("[^_]+_(?:LATE_)?[0-9]+_[0-9]+_.+", flags);
    struct Count {
        std::string_view platform, called;
        Layout (*read)(const std::vector<std::string>& paths);
        std::set<std::string> all{}, like{}; ///< entries, and those named as the platform names them
    };
    std::array counts{Count{"moodle", "Moodle", moodle}, Count{"gradescope", "Gradescope", gradescope},
                      Count{"canvas", "Canvas", canvas}};
    auto& [by_moodle, by_gradescope, by_canvas] = counts;
    const size_t root = root_of(paths), moodle_root = download_root(paths, moodle_place);
    bool metadata = false;
    for (const auto& path : paths) {
        const auto add = [&](Count& count, const std::string& entry, bool like) {
            count.all.insert(entry);
            if (like)
                count.like.insert(entry);
        };
        const auto entry = [&](size_t from) { return path.substr(from, path.find('/', from) - from); };
        add(by_moodle, entry(moodle_root), place_like(path, moodle_root, moodle_place).has_value());
        const bool is_metadata = path.compare(root, std::string::npos, "submission_metadata.yml") == 0;
        metadata |= is_metadata;
        if (!is_metadata)
            add(by_gradescope, entry(root), place_like(path, root, gradescope_place).has_value());
        if (is_source(path) || is_archive(path)) {
            const std::string name = path.substr(path.rfind('/') + 1);
            add(by_canvas, path,
                path.find('/', root) == std::string::npos && name.size() <= longest && std::regex_match(name, file));
        }
    }
    if (!metadata)
        by_gradescope.like.clear();
    for (const auto& count : counts)
        if (platform.empty() ? 2 * count.like.size() > count.all.size() : platform == count.platform)
            return count.read(paths);
    Layout none;
    for (const auto& [name, called, read, all, like] : counts)
        if (!like.empty() && none.doubt.empty())
            none.doubt =
                fmt::format("{} of {} entries are named as {} names them, which is too few for a download from "
                            "there, so each entry is one submission; --platform {} takes them apart",
                            like.size(), all.size(), called, name);
    return none;
}

std::string gradescope_metadata_file(const std::vector<std::string>& paths) {
    const size_t root = root_of(paths);
    const auto found =
        std::ranges::find_if(paths, [&](const auto& path) { return path.substr(root) == "submission_metadata.yml"; });
    return found == paths.end() ? "" : *found;
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
