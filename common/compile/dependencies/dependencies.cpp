#include "compile/dependencies/dependencies.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/problem.h"
#include "compile/dependencies/line_markers.h"
#include "compile/dependencies/questions.h"

namespace compile {
namespace {

constexpr size_t most_places = 20'000; // more are not worth remembering

// Empty: there is no such file.
std::string contents_state(const fs::path& file) try {
    std::error_code problem;
    return fs::is_regular_file(file, problem) ? base::Hash().add(base::read_file(file)).text() : "";
} catch (const base::Problem&) {
    return {};
}

// Cheaper, and enough for files that were last changed before the compiler began: each later change sets their times.
std::string times_state(const fs::path& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return {};
    return fmt::format("{}-{}.{}-{}.{}-{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                       status.st_ctim.tv_sec, status.st_ctim.tv_nsec, status.st_ino);
}

bool is_there(const fs::path& file) {
    struct stat status {};
    return stat(file.c_str(), &status) == 0;
}

bool is_file(const fs::path& file) {
    struct stat status {};
    return stat(file.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

// `file` relative to `folder`; empty: it is not in there.
std::string inside(const std::string& file, const std::string& folder) {
    return file.size() > folder.size() + 1 && file.starts_with(folder) && file[folder.size()] == '/'
               ? file.substr(folder.size() + 1)
               : "";
}

// Only the package manager writes to these folders.
bool belongs_to_packages(const std::string& folder) {
    return folder == "/usr/include" || folder.starts_with("/usr/include/") || folder.starts_with("/usr/lib");
}

std::vector<std::string_view> lines(std::string_view text) {
    std::vector<std::string_view> found;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        found.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return found;
}

} // namespace

void Dependencies::join(const Dependencies& other) {
    own.insert(other.own.begin(), other.own.end());
    foreign.insert(other.foreign.begin(), other.foreign.end());
    absent.insert(other.absent.begin(), other.absent.end());
}

bool Dependencies::unchanged(const fs::path& folder) const {
    return std::ranges::all_of(own,
                               [&](const auto& one) { return contents_state(folder / one.first) == one.second; }) &&
           std::ranges::none_of(absent, [&](const auto& place) { return is_there(folder / place); }) &&
           std::ranges::all_of(foreign, [&](const auto& one) { return times_state(folder / one.first) == one.second; });
}

std::set<fs::path> Dependencies::own_files(const fs::path& folder) const {
    std::set<fs::path> files;
    for (const auto& [name, state] : own)
        files.insert(folder / name);
    return files;
}

std::string Dependencies::text() const {
    std::string text;
    for (const auto& [name, state] : own)
        text += fmt::format("own {} {}\n", state, name);
    for (const auto& [name, state] : foreign)
        text += fmt::format("foreign {} {}\n", state, name);
    for (const auto& name : absent)
        text += fmt::format("absent - {}\n", name);
    return text;
}

Dependencies Dependencies::from(std::string_view text) {
    Dependencies found;
    for (const std::string_view line : lines(text)) {
        const size_t first = line.find(' '), second = line.find(' ', first + 1);
        if (second == line.npos)
            continue;
        const std::string kind(line.substr(0, first)), state(line.substr(first + 1, second - first - 1)),
            name(line.substr(second + 1));
        if (kind == "absent")
            found.absent.insert(name);
        else
            (kind == "own" ? found.own : found.foreign)[name] = state;
    }
    return found;
}

std::optional<Dependencies> both(std::optional<Dependencies> one, const std::optional<Dependencies>& other) {
    if (!one || !other)
        return {};
    one->join(*other);
    return one;
}

Watched::Watched(fs::path source, std::vector<fs::path> toolkit)
    : source_(std::move(source)), text_(base::read_file(source_)), toolkit_(std::move(toolkit)) {
    clock_gettime(CLOCK_REALTIME_COARSE, &began_); // the clock that stamps files
}

void Watched::preprocessed(const fs::path& output, const fs::path& directory) {
    for (const LineMarker& marker : line_markers(base::read_file(output))) {
        const fs::path file = fs::path(marker.file).is_absolute() ? fs::path(marker.file) : directory / marker.file;
        if (file == source_ || !inside(file, output.parent_path()).empty())
            continue;
        if (is_file(file))
            files_.insert(file);
        else
            complete_ = complete_ && !marker.entered; // it was there; a #line directive may name anything
    }
}

void Watched::searched(const std::vector<fs::path>& folders) {
    for (const auto& folder : folders)
        folders_.insert(fs::absolute(folder).string());
}

void Watched::read(const fs::path& file) {
    files_.insert(file);
}

void Watched::missed(const fs::path& file) {
    missed_.insert(file);
}

bool Watched::is_foreign(const fs::path& file) const {
    const std::string path = file.lexically_normal().string();
    return path.starts_with("/usr/") ||
           std::ranges::any_of(toolkit_, [&](const auto& folder) { return !inside(path, folder).empty(); });
}

std::string Watched::name(const fs::path& file) const {
    const std::string relative = inside(file, source_.parent_path());
    return relative.empty() ? file.string() : relative;
}

bool Watched::changed_meanwhile(const fs::path& file) const {
    struct stat status {
    }, link{};
    const auto since = [&](const struct stat& one) {
        return std::pair(one.st_ctim.tv_sec, one.st_ctim.tv_nsec) >= std::pair(began_.tv_sec, began_.tv_nsec);
    };
    return stat(file.c_str(), &status) != 0 || lstat(file.c_str(), &link) != 0 || !S_ISREG(status.st_mode) ||
           since(status) || since(link);
}

// False: it has been changed since the compiler began.
bool Watched::add_state(Dependencies& found, const fs::path& file) const {
    if (changed_meanwhile(file))
        return false;
    const bool foreign = is_foreign(file);
    (foreign ? found.foreign : found.own)[name(file)] = foreign ? times_state(file) : contents_state(file);
    return true;
}

// The headers that all files probe for with __has_include. None if one of the user's files names a header that cannot
// be determined; the system's headers probe through macros.
std::optional<std::set<std::string>> Watched::asked() const {
    std::set<std::string> names;
    std::set<fs::path> all = files_;
    all.insert(source_);
    for (const auto& file : all) {
        const bool foreign = is_foreign(file) && file != source_;
        const std::string text = base::read_file(file);
        if (foreign && !mentions_headers(text))
            continue;
        const Questions found = questions(text);
        if (found.unknown && !foreign)
            return {};
        names.insert(found.headers.begin(), found.headers.end());
    }
    return names;
}

// The folders in which the compiler looks for headers: its search path, and the folders of the files themselves.
std::set<std::string> Watched::places() const {
    std::set<std::string> folders = folders_;
    for (const auto& file : files_)
        if (!is_foreign(file))
            folders.insert(file.parent_path());
    return folders;
}

// A new file in one of those may replace the one that was read, or change the result of __has_include. If a folder does
// not exist, it stands for all files that could be in it. False: something has appeared since the compiler began.
bool Watched::add_absent(Dependencies& found, const std::set<std::string>& asked) const {
    const std::set<std::string> folders = places();
    std::set<std::string> names = asked;
    for (const auto& file : files_)
        for (const auto& folder : folders)
            if (const std::string rest = inside(file, folder); !rest.empty())
                names.insert(rest);
    std::set<fs::path> missed = missed_;
    for (const auto& folder : folders)
        for (const auto& rest : names) {
            const fs::path first = fs::path(folder) / rest.substr(0, rest.find('/')), place = fs::path(folder) / rest;
            if (is_file(place) && !files_.contains(place) && (changed_meanwhile(place) || asked.contains(rest)) &&
                !add_state(found, place))
                return false;
            if (!belongs_to_packages(fs::path(folder).lexically_normal()))
                missed.insert(is_there(first) ? place : first);
        }
    for (const auto& place : missed)
        if (!is_there(place))
            found.absent.insert(name(place));
    return true;
}

std::optional<Dependencies> Watched::dependencies() const try {
    Dependencies found = before_;
    const auto questions = asked();
    if (!complete_ || !questions || base::read_file(source_) != text_)
        return {};
    for (const auto& file : files_)
        if (!add_state(found, file))
            return {};
    const auto broken = [](const std::string& text, size_t lines) {
        return static_cast<size_t>(std::ranges::count(text, '\n')) != lines;
    };
    if (!add_absent(found, *questions) || found.absent.size() > most_places ||
        broken(found.text(), found.own.size() + found.foreign.size() + found.absent.size()))
        return {};
    return found;
} catch (const base::Problem&) {
    return {};
}

std::vector<fs::path> search_folders(std::string_view said) {
    std::vector<fs::path> folders;
    bool listed = false;
    for (const std::string_view line : lines(said))
        if (line.starts_with("#include ") && line.find("search starts here") != line.npos)
            listed = true;
        else if (line.starts_with("End of search list"))
            listed = false;
        else if (listed && line.starts_with(' '))
            folders.emplace_back(line.substr(1));
    return folders;
}

std::vector<fs::path> ignored_folders(std::string_view said) {
    constexpr std::string_view begin = "ignoring nonexistent directory \"";
    std::vector<fs::path> folders;
    for (const std::string_view line : lines(said))
        if (line.starts_with(begin) && line.ends_with('"'))
            folders.emplace_back(line.substr(begin.size(), line.size() - begin.size() - 1));
    return folders;
}

} // namespace compile
