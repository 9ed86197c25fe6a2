#include "process/process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace process {
namespace {

/// The children that somebody waits for. All others are orphans of processes that have ended, and kill() ends them.
/// Several threads start processes, so a child is started and noted under one lock.
struct KnownChildren {
    std::mutex mutex;
    std::set<pid_t> children;

    void add(pid_t child) {
        const std::lock_guard lock(mutex);
        children.insert(child);
    }
    void forget(pid_t child) {
        const std::lock_guard lock(mutex);
        children.erase(child);
    }
};

KnownChildren& known_children() {
    static KnownChildren children;
    return children;
}

void set_limit(__rlimit_resource resource, uint64_t value) {
    rlimit limit{};
    getrlimit(resource, &limit);
    limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(value, limit.rlim_max);
    setrlimit(resource, &limit);
}

// Processes and threads of this user, which RLIMIT_NPROC counts: no more than there are in all. To count this user's
// alone takes a look at each process, which takes longer than a program's start.
uint64_t most_tasks() {
    std::ifstream load("/proc/loadavg"); // "0.20 0.18 0.12 1/80 11206"
    std::string skipped;
    uint64_t running = 0, all = 0;
    char slash = 0;
    load >> skipped >> skipped >> skipped >> running >> slash >> all;
    return all;
}

/// State that is prepared before the fork.
struct Start {
    Spawn spawn;
    isolation::Entry entry;
    int out = -1; ///< for stdout and stderr
    uint64_t tasks = 0;
    pid_t parent = -1;
    sigset_t signals{}; ///< those that were blocked
};

// Our signal handlers must not run in the child.
void default_signals(const sigset_t& blocked) {
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        if (sigaction(number, nullptr, &action) == 0 && (action.sa_handler != SIG_IGN || number == SIGPIPE)) {
            action.sa_handler = SIG_DFL;
            action.sa_flags = 0;
            sigaction(number, &action, nullptr);
        }
    }
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
}

// Runs between vfork and exec, in our memory: system calls only.
[[noreturn]] void become(Start& start, char* const* arguments, char* const* environment) {
    const Spawn& spawn = start.spawn;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start.parent)
        _exit(127);
    if (spawn.own_group)
        setpgid(0, 0);
    set_limit(RLIMIT_CORE, 0);
    if (spawn.limits.processor_seconds)
        set_limit(RLIMIT_CPU, spawn.limits.processor_seconds);
    if (spawn.limits.data_bytes)
        set_limit(RLIMIT_DATA, spawn.limits.data_bytes);
    if (spawn.limits.file_bytes)
        set_limit(RLIMIT_FSIZE, spawn.limits.file_bytes);
    if (spawn.limits.more_processes)
        set_limit(RLIMIT_NPROC, start.tasks + spawn.limits.more_processes);
    constexpr int parking = 200; // first out of the way of the numbers that we are about to give out
    int parked = parking;
    for (const auto& [to, from] : spawn.descriptors)
        dup2(from, parked++);
    const int null = open("/dev/null", O_RDWR);
    if (!spawn.inherit_stdin)
        dup2(null, 0);
    if (start.out >= 0) {
        dup2(start.out, 1);
        dup2(start.out, 2);
    } else if (spawn.quiet) {
        dup2(null, 1);
        dup2(null, 2);
    }
    parked = parking;
    int last = 2;
    for (const auto& [to, from] : spawn.descriptors) {
        dup2(parked++, to);
        last = std::max(last, to);
    }
    closefrom(last + 1);
    for (int fd = 3; fd <= last; ++fd)
        if (!spawn.descriptors.contains(fd))
            close(fd);
    if (!spawn.directory.empty() && chdir(spawn.directory.c_str()) != 0)
        _exit(127);
    default_signals(start.signals);
    if (spawn.box && !isolation::enter(*spawn.box, start.entry))
        _exit(126);
    execvpe(arguments[0], arguments, environment);
    _exit(errno == ENOENT ? 127 : 126);
}

std::vector<std::string> environment_of(const Spawn& spawn) {
    std::map<std::string, std::string> settings{
        {"PATH", "/usr/bin:/bin"}, {"HOME", "/nonexistent"}, {"LANG", "C.UTF-8"}};
    if (!spawn.box || !spawn.box->own_environment)
        for (char** entry = environ; *entry; ++entry) {
            const std::string_view setting = *entry;
            if (const size_t equals = setting.find('='); equals != std::string_view::npos)
                settings[std::string(setting.substr(0, equals))] = setting.substr(equals + 1);
        }
    for (const auto& [key, value] : spawn.environment)
        settings[key] = value;
    std::vector<std::string> list;
    for (const auto& [key, value] : settings)
        list.push_back(key + "=" + value);
    return list;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (auto& text : texts)
        list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

// The child uses our memory until it becomes another program. To copy a checker's page tables, and then each page that
// it writes, takes longer than all the rest of a program's start.
pid_t started(Start& start) {
    auto settings = environment_of(start.spawn);
    const auto arguments = pointers(start.entry.arguments), environment = pointers(settings);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &start.signals);
    const pid_t child = vfork();
    if (child == 0)
        become(start, arguments.data(), environment.data());
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
    errno = error;
    return child;
}

} // namespace

Process::Process(const Spawn& wanted)
    : limits_(wanted.limits), own_group_(wanted.own_group), box_(wanted.box), began_(std::chrono::steady_clock::now()) {
    Start start{wanted, {wanted.arguments}};
    if (box_)
        start.entry = isolation::entry(*box_, wanted.arguments, wanted.directory);
    if (start.entry.descriptor >= 0)
        start.spawn.descriptors[start.entry.descriptor_at] = start.entry.descriptor;
    int pipe_fds[2] = {-1, -1};
    if (wanted.capture && pipe2(pipe_fds, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    start.out = pipe_fds[1];
    // A user of its own has no other processes.
    start.tasks = wanted.limits.more_processes && !(box_ && box_->user) ? most_tasks() : 0;
    start.parent = getpid();
    {
        const std::lock_guard lock(known_children().mutex);
        pid_ = started(start);
        if (pid_ > 0)
            known_children().children.insert(pid_);
    }
    if (pid_ < 0)
        throw std::system_error(errno, std::generic_category(), "vfork");
    if (own_group_)
        setpgid(pid_, pid_);
    if (start.entry.descriptor >= 0)
        close(start.entry.descriptor);
    if (wanted.capture) {
        close(pipe_fds[1]);
        output_fd_ = pipe_fds[0];
        fcntl(output_fd_, F_SETFL, O_NONBLOCK);
    }
}

Process::Process(Process&& other) noexcept
    : limits_(other.limits_), own_group_(other.own_group_), box_(other.box_), pid_(std::exchange(other.pid_, -1)),
      output_fd_(std::exchange(other.output_fd_, -1)), status_(other.status_), ended_(other.ended_),
      cleared_(other.cleared_), output_(std::move(other.output_)), printed_(other.printed_), began_(other.began_) {}

Process::~Process() {
    if (pid_ > 0)
        kill();
    if (output_fd_ >= 0)
        close(output_fd_);
}

bool Process::drain() {
    char block[16384];
    while (output_fd_ >= 0) {
        const ssize_t got = read(output_fd_, block, sizeof block);
        if (got < 0)
            break;
        if (got == 0) {
            close(output_fd_);
            output_fd_ = -1;
            break;
        }
        printed_ += static_cast<size_t>(got);
        if (output_.size() < limits_.kept_bytes)
            output_.append(block, std::min(static_cast<size_t>(got), limits_.kept_bytes - output_.size()));
        if (too_much_output())
            return false;
    }
    return true;
}

bool Process::ended() {
    if (!ended_ && waitpid(pid_, &status_, WNOHANG) == pid_) {
        ended_ = true;
        known_children().forget(pid_);
        // bwrap reports a signal as shells do.
        if (box_ && box_->level == isolation::Level::bubblewrap && WIFEXITED(status_) && WEXITSTATUS(status_) > 128)
            status_ = WEXITSTATUS(status_) - 128;
    }
    return ended_;
}

bool Process::finish(const std::function<void()>& meanwhile) {
    for (int pause = 1;;) {
        if (!drain()) {
            kill();
            return false;
        }
        if (ended()) {
            drain();
            kill(); // the rest of its group
            return true;
        }
        if (limits_.wall.count() && std::chrono::steady_clock::now() - began_ > limits_.wall) {
            kill();
            return false;
        }
        if (meanwhile)
            meanwhile();
        pollfd waiting{output_fd_, POLLIN, 0};
        poll(&waiting, output_fd_ >= 0 ? 1 : 0, pause);
        pause = std::min(pause * 2, 20);
    }
}

void Process::kill() {
    if (cleared_)
        return;
    if (own_group_)
        ::kill(-pid_, SIGKILL);
    if (!ended_) {
        ::kill(pid_, SIGKILL);
        while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
        }
        ended_ = true;
        known_children().forget(pid_);
    }
    if (box_ && !box_->compiler && box_->level == isolation::Level::user)
        isolation::end_all_of(box_->user);
    // What left the group has become our child when its parent died (see become_subreaper).
    for (int round = 0; round < 100; ++round) {
        std::unique_lock lock(known_children().mutex);
        std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
        bool any = false;
        for (pid_t child; children >> child;) {
            if (known_children().children.contains(child))
                continue;
            any = true;
            ::kill(child, SIGKILL);
            waitpid(child, nullptr, WNOHANG);
        }
        cleared_ = !any;
        if (cleared_)
            break;
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

std::string describe_status(int status) {
    if (WIFEXITED(status))
        return "exit code " + std::to_string(WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    const char* abbreviation = sigabbrev_np(signal);
    std::string text = strsignal(signal) ? strsignal(signal) : "signal " + std::to_string(signal);
    if (!text.empty())
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return abbreviation ? text + " (SIG" + abbreviation + ")" : text;
}

int exit_code(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::chrono::nanoseconds kept_waiting(pid_t process, bool main_thread_only) {
    const std::filesystem::path place = "/proc/" + std::to_string(process);
    int64_t sum = 0;
    const auto add = [&](const std::filesystem::path& task) {
        std::ifstream schedstat(task / "schedstat"); // nanoseconds: running, ready to run; how often it began
        int64_t running = 0, ready = 0;
        if (schedstat >> running >> ready)
            sum += ready;
    };
    std::error_code problem;
    if (main_thread_only)
        add(place);
    else
        for (const auto& task : std::filesystem::directory_iterator(place / "task", problem))
            add(task.path());
    return std::chrono::nanoseconds(sum);
}

void remember_child(pid_t child) {
    known_children().add(child);
}
void forget_child(pid_t child) {
    known_children().forget(child);
}

void become_subreaper() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

} // namespace process
