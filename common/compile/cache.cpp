#include "compile/cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/problem.h"

namespace compile {

using base::read_file;

namespace {

constexpr const char* dependencies_file = "dependencies";
constexpr size_t most_states = 4; ///< of the files of one key

// Removes the remains of interrupted compilations. No compiler runs for an hour.
void remove_abandoned(const fs::path& cache) {
    std::error_code problem;
    const auto recent = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (const auto& folder : fs::directory_iterator(cache, problem))
        if (folder.path().filename().string().starts_with("new-") && folder.last_write_time(problem) < recent)
            fs::remove_all(folder.path(), problem);
}

// The states of its files that a program goes back to are the last ones.
void keep_few(const fs::path& states) {
    std::vector<std::pair<fs::file_time_type, fs::path>> all;
    std::error_code problem;
    for (const auto& one : fs::directory_iterator(states, problem))
        all.emplace_back(fs::last_write_time(one.path(), problem), one.path());
    std::ranges::sort(all);
    const auto recent = fs::file_time_type::clock::now() - std::chrono::minutes(10); // may be in use
    for (size_t i = 0; i + most_states < all.size() && all[i].first < recent; ++i)
        fs::remove_all(all[i].second, problem);
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

std::optional<Cache::Entry> Cache::find(const std::string& key, const fs::path& folder) const {
    std::error_code problem;
    for (const auto& one : fs::directory_iterator(folder_ / key, problem)) {
        const fs::path list = one.path() / dependencies_file;
        if (!fs::is_regular_file(list, problem))
            continue;
        auto dependencies = Dependencies::from(read_file(list));
        if (!dependencies.unchanged(folder))
            continue;
        const auto now = fs::file_time_type::clock::now();
        fs::last_write_time(folder_ / key, now, problem);
        fs::last_write_time(one.path(), now, problem);
        return Entry{one.path(), std::move(dependencies)};
    }
    return {};
}

fs::path Cache::workspace() const {
    static std::atomic<int> number = 0;
    const fs::path folder = folder_ / fmt::format("new-{}-{}", getpid(), number++);
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
}

fs::path Cache::keep(const fs::path& workspace, const std::string& key,
                     const std::optional<Dependencies>& dependencies) const {
    if (!dependencies)
        return workspace; // removed in some hours
    const std::string text = dependencies->text();
    base::write_file(workspace / dependencies_file, text);
    const fs::path entry = folder_ / key / base::Hash().add(text).text();
    std::error_code problem;
    fs::create_directories(entry.parent_path(), problem);
    fs::rename(workspace, entry, problem);
    if (problem) { // somebody else was faster, or an old entry is replaced
        fs::remove_all(entry, problem);
        fs::rename(workspace, entry, problem);
        if (problem && fs::is_directory(entry))
            fs::remove_all(workspace);
    }
    keep_few(folder_ / key);
    trim();
    return entry;
}

void Cache::trim() const {
    // Scanning all entries takes as long as running a kernel, so one process does it, once a minute.
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

} // namespace compile
