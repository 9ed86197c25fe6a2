#include "grader/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace grader {
namespace {

// What systems and editors put beside one's files: .git, .ipynb_checkpoints, __MACOSX, ._kernel.cu.
bool is_hidden(std::string_view name) {
    for (const auto& part : fs::path(name))
        if (part == "__MACOSX" || (part.native()[0] == '.' && part != "." && part != ".."))
            return true;
    return false;
}

// Follows no link, and never waits for a pipe without a writer.
bool read_regular(const fs::path& path, size_t limit, std::string& contents, std::string& problem) {
    const int fd = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 && errno != ELOOP)
        problem = fmt::format("cannot be read ({})", std::strerror(errno));
    else if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        problem = "is no regular file";
    else if (static_cast<size_t>(status.st_size) > limit)
        problem = fmt::format("is larger than {} KiB", limit >> 10);
    if (problem.empty()) {
        char block[65536];
        for (ssize_t got; contents.size() <= limit && (got = ::read(fd, block, sizeof block)) > 0;)
            contents.append(block, static_cast<size_t>(got));
    }
    if (fd >= 0)
        close(fd);
    return problem.empty();
}

} // namespace

bool is_wanted(std::string_view name) {
    return (is_source(name) || is_archive(name)) && !is_hidden(name);
}

void take(Reading& into, const std::string& name, Reading&& archive) {
    for (auto& [inner, contents] : archive.files)
        into.files.try_emplace(name + "/" + inner, std::move(contents));
    for (auto& problem : archive.problems)
        into.problems.push_back(name + ": " + problem);
}

size_t source_ending(std::string_view name) {
    std::string_view rest = name.substr(0, name.find_last_not_of(" .") + 1);
    const auto ends_with = [&](std::string_view ending) {
        return rest.size() > ending.size() &&
               strncasecmp(&rest[rest.size() - ending.size()], ending.data(), ending.size()) == 0;
    };
    if (ends_with(".cu.txt"))
        rest.remove_suffix(4);
    return ends_with(".cu") ? name.size() - rest.size() + 3 : 0;
}

bool is_source(std::string_view name) {
    return source_ending(name) != 0;
}

bool is_archive(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr std::string_view endings[] = {".zip",     ".tar", ".tar.gz",  ".tgz", ".tar.xz",
                                            ".tar.bz2", ".txz", ".tar.zst", ".7z",  ".rar"};
    return std::any_of(std::begin(endings), std::end(endings),
                       [&](std::string_view ending) { return lower.ends_with(ending); });
}

Reading read_files(const fs::path& path, Budget& budget) {
    Reading result;
    auto add = [&](const fs::path& file, const std::string& name) {
        if (!is_wanted(name))
            return;
        std::string contents, problem;
        if (!read_regular(file, is_archive(name) ? Budget::archive_bytes : Budget::file_bytes, contents, problem)) {
            result.problems.push_back(fmt::format("{} {}: left out", name, problem));
            return;
        }
        if (!budget.keep(contents.size()))
            return;
        if (is_archive(name))
            take(result, name, read_archive(contents, budget));
        else
            result.files.emplace(name, std::move(contents));
    };
    std::error_code problem;
    if (!fs::is_directory(fs::symlink_status(path, problem))) {
        add(path, path.filename().string());
        return result;
    }
    if (access(path.c_str(), R_OK | X_OK) != 0)
        result.problems.push_back(
            fmt::format("{} cannot be read ({})", path.filename().string(), std::strerror(errno)));
    fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, problem), end;
    for (; !problem && it != end; it.increment(problem)) {
        if (!budget.entry()) {
            result.problems.push_back(fmt::format("{} {}", path.filename().string(), more_than_any));
            break;
        }
        if (it.depth() > 8)
            it.disable_recursion_pending();
        if (it->is_directory(problem) && !it->is_symlink(problem)) {
            if (access(it->path().c_str(), R_OK | X_OK) != 0)
                result.problems.push_back(fmt::format("{} cannot be read ({}): left out",
                                                      it->path().lexically_relative(path).generic_string(),
                                                      std::strerror(errno)));
        } else
            add(it->path(), it->path().lexically_relative(path).generic_string());
    }
    return result;
}

Reading read_parts(const std::vector<Part>& parts) {
    Reading result;
    Budget budget;
    std::map<fs::path, std::map<std::string, std::string>> members; // of archives: what they are called
    auto add = [&](const std::string& name, std::string contents) {
        if (!budget.keep(contents.size()))
            result.problems.push_back(fmt::format("{}: more than any submission holds: left out", name));
        else if (is_archive(name))
            take(result, name, read_archive(contents, budget));
        else if (is_source(name))
            result.files.try_emplace(name, std::move(contents));
    };
    for (const auto& part : parts) {
        if (!part.inside.empty() && !fs::is_directory(part.path)) {
            members[part.path][part.inside] = part.called;
            continue;
        }
        const fs::path path = part.path / part.inside;
        if (part.called.empty()) {
            Reading all = read_files(part.inside.empty() ? part.path : path, budget);
            result.files.merge(all.files);
            result.problems.insert(result.problems.end(), all.problems.begin(), all.problems.end());
            continue;
        }
        std::string contents, problem;
        if (!is_wanted(part.called))
            continue;
        if (read_regular(path, is_archive(part.called) ? Budget::archive_bytes : Budget::file_bytes, contents, problem))
            add(part.called, std::move(contents));
        else
            result.problems.push_back(fmt::format("{} {}: left out", part.called, problem));
    }
    for (const auto& [path, called] : members) {
        auto files = read_members(
            path,
            [&, &called = called](const std::string& name) -> size_t {
                const auto found = called.find(name);
                return found == called.end() || !is_wanted(found->second) ? 0
                       : is_archive(found->second)                        ? Budget::archive_bytes
                                                                          : Budget::file_bytes;
            },
            result.problems);
        for (auto& [name, contents] : files)
            add(called.at(name), std::move(contents));
    }
    return result;
}

std::vector<std::string> list_files(const fs::path& path) {
    std::vector<std::string> names;
    if (fs::is_directory(path)) {
        std::error_code problem;
        fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, problem), end;
        for (; !problem && it != end; it.increment(problem)) {
            if (it.depth() > 12)
                it.disable_recursion_pending();
            if (it->symlink_status().type() == fs::file_type::regular)
                names.push_back(it->path().lexically_relative(path).generic_string());
        }
    } else if (is_archive(path.filename().string())) {
        names = list_archive(path);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string read_member(const fs::path& path, const std::string& inside) {
    constexpr size_t limit = size_t{256} << 20;
    std::string contents, problem;
    if (fs::is_directory(path)) {
        read_regular(path / inside, limit, contents, problem);
        return contents;
    }
    std::vector<std::string> problems;
    auto files = read_members(
        path, [&](const std::string& name) { return name == inside ? limit : 0; }, problems);
    return files.empty() ? "" : std::move(files.begin()->second);
}

} // namespace grader
