#include "judge/workers.h"

#include <csignal>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fields.h"
#include "base/paths.h"
#include "base/problem.h"
#include "check/device_process.h"
#include "process/process.h"

using judge::Task;

namespace {

struct AsConfig {
    nlohmann::json write(const check::RunConfig& config) const { return check::to_json(config); }
    void read(const nlohmann::json& json, check::RunConfig& config) const { config = check::run_config(json); }
};

} // namespace

template <>
inline constexpr auto base::fields<Task> = std::tuple{
    Field{"lab", &Task::lab},
    Field{"index", &Task::index},
    Field{"bench", &Task::bench},
    Field{"config", &Task::config, AsConfig{}},
};

namespace judge {

using base::Problem;

using check::RunResult, check::Verdict;
using nlohmann::json;
using namespace std::chrono;

struct Workers::Worker {
    pid_t pid = -1;
    int fd = -1;
    std::optional<size_t> task;
    steady_clock::time_point deadline;
    std::string received;
    std::string call; ///< of the launch function, which the task is at
};

namespace {

bool send_line(int fd, std::string line) {
    line += '\n';
    for (size_t done = 0; done < line.size();) {
        const ssize_t sent = send(fd, line.data() + done, line.size() - done, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        done += static_cast<size_t>(sent);
    }
    return true;
}

// One line from a socket; nothing at its end, or (without waiting) if there is none yet.
std::optional<std::string> receive_line(int fd, std::string& received, bool wait, bool& closed) {
    for (;;) {
        if (const size_t end = received.find('\n'); end != std::string::npos) {
            std::string line = received.substr(0, end);
            received.erase(0, end + 1);
            return line;
        }
        char block[65536];
        const ssize_t got = recv(fd, block, sizeof block, wait ? 0 : MSG_DONTWAIT);
        if (got <= 0) {
            closed = got == 0 || (errno != EAGAIN && errno != EINTR);
            if (got < 0 && errno == EINTR && wait)
                continue;
            return {};
        }
        received.append(block, static_cast<size_t>(got));
    }
}

// A program chooses how much its device needs: a million registers a thread, say. A machine that grades others beside
// it is not to run out of memory for that. Honest programs that use all of the device's 1 GiB need 1.6 GiB.
constexpr uint64_t most_memory = uint64_t{3} << 30;

int socket_of_worker = -1;
std::unique_ptr<char[]> reserve;

void out_of_memory() {
    if (!reserve)
        _exit(1); // another thread is at it
    reserve.reset();
    RunResult result;
    result.verdict = Verdict::incomplete;
    result.stuck = true; // this process leaves
    result.gaps = {
        {fmt::format("to run this, the simulated device needs more than {} GiB of memory", most_memory >> 30),
         "use less memory and fewer registers, and print less"}};
    result.message = result.gaps[0].what + "\nnext: " + result.gaps[0].next;
    send_line(socket_of_worker, check::to_json(result).dump());
    _exit(0);
}

// A GPU's driver has its own ideas of memory.
void limit_memory(int fd, bool gpu) {
    socket_of_worker = fd;
    if (!reserve)
        reserve = std::make_unique_for_overwrite<char[]>(1 << 20);
    std::set_new_handler(out_of_memory);
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_cur = gpu ? limit.rlim_max : std::min<rlim_t>(most_memory, limit.rlim_max);
    setrlimit(RLIMIT_DATA, &limit);
}

void work(int fd, const std::filesystem::path& device_program) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    process::become_subreaper();
    mallopt(M_MMAP_THRESHOLD,
            32 << 20); // the next case needs as much: a fault for each page takes longer than the case
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
    mallopt(M_ARENA_MAX, 1); // the device's thread and this one hardly ever run at once
    check::DeviceProcess device(device_program);
    std::string received;
    bool closed = false;
    while (const auto line = receive_line(fd, received, true, closed)) {
        RunResult result;
        try {
            Task next = base::from_json<Task>(json::parse(*line));
            next.config.calls = [fd](const std::string& call) { send_line(fd, json{{"calls", call}}.dump()); };
            next.config.device = &device;
            limit_memory(fd, next.config.gpu || !next.config.under.empty());
            result = next.bench                   ? check::run_bench(next.lab, next.config)
                     : !next.config.under.empty() ? check::run_alone(next.lab, next.config)
                                                  : check::run_case(next.lab, next.index, next.config);
        } catch (const Problem& problem) {
            result.verdict = Verdict::internal;
            result.message = problem.what;
        } catch (const std::exception& problem) {
            result.verdict = Verdict::internal;
            result.message = problem.what();
        }
        const bool sent = send_line(fd, check::to_json(result).dump(-1, ' ', false, json::error_handler_t::replace));
        if (!sent || result.stuck)
            break; // a kernel is still running on another thread, or the GPU is lost for this process
    }
}

} // namespace

Workers::Workers(unsigned count) : device_program_(base::find_paths().build / "common/check/device") {
    if (count == 0)
        count = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
    workers_.resize(count);
}

Workers::~Workers() {
    for (Worker& worker : workers_) {
        if (worker.fd >= 0)
            close(worker.fd);
        if (worker.pid > 0) {
            if (worker.task)
                kill(worker.pid, SIGKILL);
            waitpid(worker.pid, nullptr, 0);
            process::forget_child(worker.pid);
        }
    }
}

void Workers::start(Worker& worker) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        throw Problem{"no socket for a worker", "close some programs and try again"};
    std::fflush(nullptr); // or the worker prints it, too
    const pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        for (const Worker& other : workers_)
            if (other.fd >= 0)
                close(other.fd);
        work(pair[1], device_program_);
        _exit(0);
    }
    close(pair[1]);
    if (pid < 0)
        throw Problem{"no process for a worker", "close some programs and try again"};
    process::remember_child(pid);
    worker = {};
    worker.pid = pid;
    worker.fd = pair[0];
}

/// One run() of several tasks.
struct Workers::Round {
    Workers& workers;
    const std::vector<Task>& tasks;
    const std::function<bool(size_t)>& wanted;
    const std::function<void(size_t, RunResult)>& done;
    size_t next = 0, running = 0;

    void give(Worker& worker) {
        while (next < tasks.size() && !wanted(next))
            ++next;
        if (next >= tasks.size())
            return;
        if (worker.fd < 0)
            workers.start(worker);
        worker.task = next;
        worker.call.clear();
        // Beyond its own time limit only a kernel can keep a worker busy.
        worker.deadline = steady_clock::now() + (1 + check::longest_delay) * tasks[next].config.timeout + seconds(30);
        send_line(worker.fd, base::to_json(tasks[next]).dump());
        ++next;
        ++running;
    }

    /// The worker's task is over, with this result; on to the next.
    void take(Worker& worker, RunResult result, bool ends) {
        const size_t index = *worker.task;
        worker.task.reset();
        --running;
        if (ends)
            end(worker);
        done(index, std::move(result));
        give(worker);
    }

    void lose(Worker& worker, Verdict verdict, std::string message) {
        kill(worker.pid, SIGKILL);
        RunResult result;
        result.verdict = verdict;
        result.message = std::move(message);
        take(worker, std::move(result), true);
    }

    void look_at(Worker& worker) {
        bool closed = false;
        json said;
        for (;;) { // what has been received will not wake us again
            const auto line = receive_line(worker.fd, worker.received, false, closed);
            said = line ? json::parse(*line) : json();
            if (!said.contains("calls"))
                break;
            worker.call = said.at("calls");
        }
        if (!said.is_null()) {
            RunResult result = check::run_result(said);
            const bool leaves = result.stuck;
            take(worker, std::move(result), leaves);
        } else if (closed) {
            int status = 0;
            waitpid(worker.pid, &status, WNOHANG);
            lose(worker, Verdict::internal,
                 fmt::format("the simulated device itself failed ({}); this is a bug in asynclab, not in your code",
                             process::describe_status(status)));
        } else if (steady_clock::now() > worker.deadline) {
            lose(worker, Verdict::timeout, "a kernel did not end in time");
        }
    }
};

void Workers::end(Worker& worker) {
    waitpid(worker.pid, nullptr, 0);
    process::forget_child(worker.pid);
    close(worker.fd);
    worker = {};
}

void Workers::run(const std::vector<Task>& tasks, const std::function<bool(size_t)>& wanted,
                  const std::function<void(size_t, RunResult)>& done,
                  const std::function<void(size_t, std::string_view)>& meanwhile) {
    Round round{*this, tasks, wanted, done};
    for (Worker& worker : workers_)
        round.give(worker);
    while (round.running) {
        std::vector<pollfd> waiting;
        const Worker* longest = nullptr;
        for (const Worker& worker : workers_)
            if (worker.task) {
                waiting.push_back({worker.fd, POLLIN, 0});
                if (!longest || worker.deadline < longest->deadline)
                    longest = &worker;
            }
        poll(waiting.data(), waiting.size(), 100);
        if (meanwhile && longest)
            meanwhile(*longest->task, longest->call);
        for (Worker& worker : workers_)
            if (worker.task)
                round.look_at(worker);
    }
}

} // namespace judge
