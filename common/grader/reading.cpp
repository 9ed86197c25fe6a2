#include "grader/reading.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <list>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fields.h"
#include "base/problem.h"
#include "base/text.h"
#include "isolation/call_filter.h"
#include "isolation/landlock.h"
#include "isolation/system_files.h"
#include "process/process.h"

namespace grader {
namespace {

/// The answer of a process that lists files: a problem, if `what` is not empty.
struct Listing {
    std::vector<std::string> files{};
    std::string what{}, next{};
};

} // namespace
} // namespace grader

template <>
inline constexpr auto base::fields<grader::Listing> = std::tuple{
    Field{"files", &grader::Listing::files},
    Field{"what", &grader::Listing::what},
    Field{"next", &grader::Listing::next},
};

template <>
inline constexpr auto base::fields<grader::Reading> = std::tuple{
    Field{"files", &grader::Reading::files},
    Field{"problems", &grader::Reading::problems},
};

namespace grader {
namespace {

using nlohmann::json;
using namespace std::chrono;

constexpr seconds longest_wait{60}; ///< whatever disks and networks do
constexpr uint64_t most_memory = uint64_t{1} << 30;
constexpr size_t most_problems = 40;

// Enough for every honest submission many times over. What an instructor has downloaded may be large.
uint64_t processor_seconds(const fs::path& path) {
    std::error_code problem;
    const uint64_t bytes = fs::is_regular_file(path, problem) ? fs::file_size(path, problem) : 0;
    return 5 + (problem ? 0 : bytes / (uint64_t{10} << 20));
}

bool write_all(int fd, const std::vector<uint8_t>& bytes) {
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t written = write(fd, bytes.data() + done, bytes.size() - done);
        if (written <= 0)
            return false;
        done += static_cast<size_t>(written);
    }
    return true;
}

// What unpacks a stranger's bytes sees no other files, writes none, and reaches neither other processes nor the
// network: a memory error in the library that unpacks must not be the grader's.
void lock_in(const std::vector<fs::path>& files) {
    auto filter = isolation::call_filter(true);
    auto readable = isolation::system_files(false); // character sets
    std::ranges::copy(files, std::back_inserter(readable));
    const int rules = isolation::landlock_version() ? isolation::landlock_rules(readable, {}) : -1;
    const bool locked = rules < 0 || isolation::landlock(rules);
    if (!locked || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || filter.empty() || !isolation::load(filter))
        _exit(1);
}

/// A process that works something out and sends it back.
class Worker {
  public:
    /// `files`: all that it reads, or folders with that.
    Worker(size_t index, uint64_t processor_seconds, const std::vector<fs::path>& files,
           const std::function<json()>& work)
        : index_(index), processor_seconds_(processor_seconds),
          deadline_(steady_clock::now() + longest_wait + seconds(processor_seconds)) {
        int fds[2];
        std::fflush(nullptr); // or the child prints it, too
        if (pipe2(fds, O_CLOEXEC) != 0 || (pid_ = fork()) < 0)
            throw base::Problem{fmt::format("no process to read submissions: {}", std::strerror(errno)),
                                "close some programs and try again"};
        if (pid_ == 0)
            carry_out(fds[1], files, work);
        close(fds[1]);
        fd_ = fds[0];
        process::remember_child(pid_);
    }
    ~Worker() {
        kill(pid_, SIGKILL);
        if (!ended_)
            waitpid(pid_, nullptr, 0);
        process::forget_child(pid_);
        close(fd_);
    }
    Worker(const Worker&) = delete;

    size_t index() const { return index_; }
    int fd() const { return fd_; }
    /// Receives what is available. True: that was the end.
    bool receive() {
        char block[65536];
        const ssize_t got = ::read(fd_, block, sizeof block);
        if (got > 0)
            received_.append(block, static_cast<size_t>(got));
        return got == 0 || (got < 0 && errno != EINTR);
    }
    bool late() const { return steady_clock::now() > deadline_; }
    /// Its answer; empty if it failed, which `why` explains.
    json result(std::string& why) {
        if (late()) {
            why = fmt::format("takes more than {} s to read", longest_wait.count() + processor_seconds_);
            return {};
        }
        int status = 0;
        waitpid(pid_, &status, 0);
        ended_ = true;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
            why = fmt::format("takes more than {} s of processor time to unpack", processor_seconds_);
        else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            why = fmt::format("cannot be unpacked ({})", process::describe_status(status));
        return why.empty() ? json::from_cbor(received_) : json();
    }

  private:
    [[noreturn]] void carry_out(int fd, const std::vector<fs::path>& files, const std::function<json()>& work) const {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const auto limit = [](__rlimit_resource resource, uint64_t value) {
            const rlimit both{value, value + (resource == RLIMIT_CPU)};
            setrlimit(resource, &both);
        };
        limit(RLIMIT_CPU, processor_seconds_);
        limit(RLIMIT_DATA, most_memory);
        limit(RLIMIT_CORE, 0);
        std::signal(SIGXCPU, SIG_DFL);
        try {
            lock_in(files);
            _exit(write_all(fd, json::to_cbor(work())) ? 0 : 1);
        } catch (const std::exception&) {
            _exit(1);
        }
    }

    size_t index_;
    uint64_t processor_seconds_;
    steady_clock::time_point deadline_;
    pid_t pid_ = -1;
    int fd_ = -1;
    bool ended_ = false;
    std::string received_;
};

// A student chooses how many there are, and how long names are.
void bound(std::vector<std::string>& problems) {
    for (auto& problem : problems)
        problem = base::shortened(problem, 300);
    if (problems.size() > most_problems) {
        const size_t more = problems.size() - most_problems;
        problems.resize(most_problems);
        problems.push_back(fmt::format("and {} more problems", more));
    }
}

json read(const std::vector<Part>& parts) {
    Reading result;
    try {
        result = read_parts(parts);
    } catch (const base::Problem& problem) {
        result.problems.push_back(problem.what + ": " + problem.next);
    }
    bound(result.problems);
    return base::to_json(result);
}

std::string called(const std::vector<Part>& parts) {
    return parts.empty() ? "" : (parts[0].called.empty() ? parts[0].path.filename().string() : parts[0].called);
}

} // namespace

void read_each(const std::vector<const std::vector<Part>*>& submissions, unsigned jobs,
               const std::function<void(size_t, Reading)>& take) {
    std::list<Worker> workers;
    size_t next = 0;
    while (next < submissions.size() || !workers.empty()) {
        while (workers.size() < std::max(jobs, 1u) && next < submissions.size()) {
            const auto& parts = *submissions[next];
            uint64_t most = processor_seconds({});
            std::vector<fs::path> files;
            for (const auto& part : parts) {
                files.push_back(part.path);
                if (!part.inside.empty())
                    most = std::max(most, processor_seconds(part.path));
            }
            workers.emplace_back(next++, most, files, [&parts] { return read(parts); });
        }
        std::vector<pollfd> waiting;
        for (const auto& worker : workers)
            waiting.push_back({worker.fd(), POLLIN, 0});
        poll(waiting.data(), waiting.size(), 200);
        auto ready = waiting.begin();
        for (auto worker = workers.begin(); worker != workers.end(); ++ready) {
            if (!worker->late() && !(ready->revents && worker->receive())) {
                ++worker;
                continue;
            }
            std::string why;
            const json sent = worker->result(why);
            const std::string name = called(*submissions[worker->index()]);
            take(worker->index(), why.empty()
                                      ? base::from_json<Reading>(sent)
                                      : Reading{{}, {fmt::format("{} {}: nothing of it is graded", name, why)}});
            worker = workers.erase(worker);
        }
    }
}

Reading read_safely(const std::vector<Part>& parts) {
    Reading result;
    read_each({&parts}, 1, [&](size_t, Reading reading) { result = std::move(reading); });
    return result;
}

std::vector<std::string> list_safely(const fs::path& path) {
    Worker worker(0, processor_seconds(path), {path}, [&] {
        try {
            return base::to_json(Listing{.files = list_files(path)});
        } catch (const base::Problem& problem) {
            return base::to_json(Listing{.what = problem.what, .next = problem.next});
        }
    });
    for (pollfd waiting{worker.fd(), POLLIN, 0};;)
        if (worker.late() || (poll(&waiting, 1, 200) > 0 && worker.receive()))
            break;
    std::string why;
    const json sent = worker.result(why);
    if (!why.empty())
        throw base::Problem{fmt::format("{} {}", path.string(), why), "unpack it yourself"};
    auto listing = base::from_json<Listing>(sent);
    if (!listing.what.empty())
        throw base::Problem{listing.what, listing.next};
    return std::move(listing.files);
}

} // namespace grader
