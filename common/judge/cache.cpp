#include "judge/cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"

namespace judge {

using base::read_file;

namespace {

// What somebody has begun to compile and was interrupted at. No compiler runs for an hour.
void remove_abandoned(const fs::path& cache) {
    std::error_code problem;
    const auto recent = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const auto& folder : fs::directory_iterator(cache, problem))
        if (folder.path().filename().string().starts_with("new-") && folder.last_write_time(problem) < recent)
            fs::remove_all(folder.path(), problem);
}

} // namespace

Cache::Cache(fs::path folder, uint64_t limit) : folder_(std::move(folder)), limit_(limit) {
    std::error_code problem;
    fs::create_directories(folder_, problem);
    if (problem || access(folder_.c_str(), W_OK) != 0)
        throw base::Problem{fmt::format("you may not write to {}, where compiled programs are kept", folder_.string()),
                            "set XDG_CACHE_HOME and XDG_STATE_HOME (or HOME) to folders that you may write to"};
    remove_abandoned(folder_);
}

std::optional<fs::path> Cache::find(const std::string& key) const {
    const fs::path entry = folder_ / key;
    std::error_code problem;
    if (!fs::is_directory(entry, problem))
        return {};
    fs::last_write_time(entry, fs::file_time_type::clock::now(), problem);
    return entry;
}

fs::path Cache::workspace() const {
    static std::atomic<int> number = 0;
    const fs::path folder = folder_ / fmt::format("new-{}-{}", getpid(), number++);
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
}

fs::path Cache::keep(const fs::path& workspace, const std::string& key) const {
    const fs::path entry = folder_ / key;
    std::error_code problem;
    fs::rename(workspace, entry, problem);
    if (problem) { // somebody else was faster, or an old entry is replaced
        fs::remove_all(entry, problem);
        fs::rename(workspace, entry, problem);
        if (problem && fs::is_directory(entry))
            fs::remove_all(workspace);
    }
    trim();
    return entry;
}

void Cache::trim() const {
    // Looking at all entries takes as long as a kernel's run: once a minute will do, whoever does it.
    const fs::path stamp = folder_ / "trimmed";
    std::error_code none_yet;
    const auto now = fs::file_time_type::clock::now(), last = fs::last_write_time(stamp, none_yet);
    if (!none_yet && now - last < std::chrono::minutes(1) && last <= now)
        return;
    std::ofstream{stamp};
    fs::last_write_time(stamp, now, none_yet);
    struct Entry {
        fs::file_time_type used;
        fs::path path;
        uint64_t bytes = 0;
    };
    std::vector<Entry> entries;
    uint64_t total = 0;
    std::error_code problem;
    for (const auto& folder : fs::directory_iterator(folder_, problem)) {
        Entry entry{fs::last_write_time(folder, problem), folder.path()};
        for (const auto& file : fs::recursive_directory_iterator(folder, problem))
            if (file.is_regular_file(problem))
                entry.bytes += file.file_size(problem);
        total += entry.bytes;
        entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    const auto recent = now - std::chrono::minutes(10); // may be in use
    for (const Entry& entry : entries) {
        if (total <= limit_ || entry.used > recent)
            break;
        fs::remove_all(entry.path, problem);
        total -= entry.bytes;
    }
}

namespace {

void collect(const fs::path& file, const std::vector<fs::path>& folders, std::set<fs::path>& seen, std::string& text) {
    std::error_code problem;
    if (seen.size() >= 200 || !fs::is_regular_file(file, problem) || fs::file_size(file, problem) > (8 << 20) ||
        !seen.insert(fs::weakly_canonical(file, problem)).second)
        return;
    const std::string contents = read_file(file);
    text += contents;
    text += '\0';
    std::istringstream lines(contents);
    for (std::string line; std::getline(lines, line);) {
        const size_t hash = line.find_first_not_of(" \t");
        if (hash == std::string::npos || line[hash] != '#' || line.find("include", hash) == std::string::npos)
            continue;
        const size_t open = line.find_first_of("\"<", hash);
        const size_t close = open == std::string::npos ? open : line.find_first_of("\">", open + 1);
        if (close == std::string::npos)
            continue;
        const std::string name = line.substr(open + 1, close - open - 1);
        if (line[open] == '"')
            collect(file.parent_path() / name, folders, seen, text);
        for (const auto& folder : folders)
            collect(folder / name, folders, seen, text);
    }
}

} // namespace

std::string with_includes(const fs::path& source, const std::vector<fs::path>& folders) {
    std::string text;
    std::set<fs::path> seen;
    collect(source, folders, seen, text);
    return text;
}

std::set<fs::path> own_files(const fs::path& source, const std::vector<fs::path>& folders) {
    std::string text;
    std::set<fs::path> seen;
    collect(source, folders, seen, text);
    return seen;
}

std::vector<fs::path> include_folders(const std::vector<std::string>& flags) {
    std::vector<fs::path> folders;
    for (size_t i = 0; i < flags.size(); ++i)
        if (flags[i].starts_with("-I"))
            folders.push_back(flags[i].size() > 2 ? flags[i].substr(2) : i + 1 < flags.size() ? flags[i + 1] : "");
    return folders;
}

} // namespace judge
