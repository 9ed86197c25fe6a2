#include "grader/files.h"

#include <algorithm>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace grader {
namespace {

bool is_wanted(std::string_view name) {
    return name.ends_with(".cu") || is_archive(name);
}

// Neither through a link, nor from a pipe that nobody writes to.
bool read_regular(const fs::path& path, size_t limit, std::string& contents, std::string& problem) {
    const int fd = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status {};
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        problem = "is no regular file";
    else if (static_cast<size_t>(status.st_size) > limit)
        problem = fmt::format("is larger than {} KiB", limit >> 10);
    if (problem.empty()) {
        char block[65536];
        for (ssize_t got; contents.size() <= limit && (got = read(fd, block, sizeof block)) > 0;)
            contents.append(block, static_cast<size_t>(got));
    }
    if (fd >= 0)
        close(fd);
    return problem.empty();
}

void take(Reading& into, const std::string& name, Reading&& archive) {
    for (auto& [inner, contents] : archive.files)
        into.files.try_emplace(name + "/" + inner, std::move(contents));
    for (auto& problem : archive.problems)
        into.problems.push_back(name + ": " + problem);
}

} // namespace

bool is_archive(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr std::string_view endings[] = {".zip",     ".tar", ".tar.gz",  ".tgz", ".tar.xz",
                                            ".tar.bz2", ".txz", ".tar.zst", ".7z",  ".rar"};
    return std::any_of(std::begin(endings), std::end(endings),
                       [&](std::string_view ending) { return lower.ends_with(ending); });
}

Reading read_files(const fs::path& path, const ReadLimits& limits) {
    Reading result;
    size_t entries = 0, bytes = 0;
    auto add = [&](const fs::path& file, const std::string& name) {
        if (!is_wanted(name))
            return;
        std::string contents, problem;
        const size_t left = limits.all_bytes - std::min(bytes, limits.all_bytes);
        if (!read_regular(file, std::min(is_archive(name) ? limits.all_bytes : limits.file_bytes, left), contents,
                          problem)) {
            result.problems.push_back(fmt::format("{} {}: left out", name, problem));
            return;
        }
        bytes += contents.size();
        if (is_archive(name))
            take(result, name, read_archive(contents, limits));
        else
            result.files.emplace(name, std::move(contents));
    };
    std::error_code problem;
    if (!fs::is_directory(fs::symlink_status(path, problem))) {
        add(path, path.filename().string());
        return result;
    }
    fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, problem), end;
    for (; !problem && it != end; it.increment(problem)) {
        if (++entries > limits.entries) {
            result.problems.push_back(fmt::format("more than {} files: the rest is left out", limits.entries));
            break;
        }
        if (it.depth() > 8)
            it.disable_recursion_pending();
        if (!it->is_directory(problem) || it->is_symlink(problem))
            add(it->path(), it->path().lexically_relative(path).generic_string());
    }
    return result;
}

} // namespace grader
