#include "grader/job.h"

#include <cerrno>
#include <chrono>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/paths.h"
#include "base/problem.h"

namespace grader {

using base::Problem;

namespace {

void put_in_place(const fs::path& from, const fs::path& to) {
    std::error_code problem;
    fs::create_directories(to.parent_path(), problem);
    if (!problem)
        fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, problem);
    if (problem)
        throw Problem{fmt::format("cannot copy {} to {}: {}", from.string(), to.string(), problem.message()),
                      "set TMPDIR to a folder with some space"};
}

constexpr const char* prefix = "asynclab-grade-";

int lock(const fs::path& folder) {
    const int fd = open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

// Removes the files of graders that were killed.
void sweep() {
    std::error_code problem;
    const auto recent = fs::file_time_type::clock::now() - std::chrono::minutes(1); // may be about to be locked
    for (const auto& entry : fs::directory_iterator(fs::temp_directory_path(), problem)) {
        struct stat status {};
        if (entry.path().filename().string().starts_with(prefix) && lstat(entry.path().c_str(), &status) == 0 &&
            S_ISDIR(status.st_mode) && status.st_uid == geteuid() && fs::last_write_time(entry, problem) < recent)
            if (const int fd = lock(entry.path()); fd >= 0) {
                fs::remove_all(entry.path(), problem);
                close(fd);
            }
    }
}

} // namespace

Scratch::Scratch() {
    umask(022);
    sweep();
    std::string name = fs::temp_directory_path() / (std::string(prefix) + "XXXXXX");
    if (!mkdtemp(name.data()))
        throw Problem{"no folder in " + fs::temp_directory_path().string() + ": " + std::strerror(errno),
                      "set TMPDIR to a folder with some space"};
    path_ = name;
    if (chmod(path_.c_str(), 0711) != 0) // another user passes through, but cannot look around
        throw Problem{"cannot prepare " + name, "set TMPDIR to a folder of your own"};
    lock_ = lock(path_);
}

Scratch::~Scratch() {
    std::error_code problem;
    for (int i = 0; i < 20 && fs::exists(path_, problem); ++i, usleep(10'000)) // processes being killed may still write
        fs::remove_all(path_, problem);
    close(lock_);
}

base::Paths make_kit(const base::Paths& tree, const fs::path& folder) {
    const fs::path kit = folder / "kit";
    const base::Paths paths{kit, {}, kit};
    put_in_place(tree.student_include(), paths.student_include());
    put_in_place(tree.stub(), paths.stub());
    // Meson's thin archives refer to their objects by path. An installed one contains them.
    if (const fs::path objects = tree.stub().string() + ".p"; fs::exists(objects))
        put_in_place(objects, paths.stub().string() + ".p");
    for (const auto& entry : fs::directory_iterator(tree.cudart()))
        if (entry.path().filename().string().find(".so.") != std::string::npos)
            put_in_place(entry.path(), paths.cudart() / entry.path().filename());
    for (const char* name : {"compile_server", "libstop_behind_headers.so"})
        put_in_place(tree.build / "common/compile/servers" / name, kit / "common/compile/servers" / name);
    return paths;
}

Job::Job(const base::Paths& tree, isolation::Level level, const fs::path& kit) {
    prctl(PR_SET_DUMPABLE, 0); // other processes must not read our memory and environment
    const fs::path& folder = scratch_.path();
    paths_ = kit.empty() ? make_kit(tree, folder) : base::Paths{kit, {}, kit};
    paths_.state = folder / "state";
    if (fs::exists(tree.toolchain()))
        put_in_place(tree.toolchain(), paths_.state / "toolchain.json");
    box_.level = level;
    box_.user = isolation::throwaway_user();
    box_.own_environment = true;
    box_.readable = {paths_.root};
}

Job::~Job() {
    isolation::end_all_of(box_.user);
}

fs::path Job::put(const std::string& lab, const std::string& text) const {
    const fs::path source = scratch_.path() / lab / "kernel.cu";
    base::write_file(source, text);
    return source;
}

} // namespace grader
