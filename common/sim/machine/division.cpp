#include "sim/machine/division.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>

#include "sim/machine/grid.h"
#include "sim/machine/progress.h"

namespace sim::machine {
namespace {

constexpr uint64_t parts_per_core = 3; // they take different times
constexpr int look_up = 20;            // ms between two looks at Options::interrupt

/// Seconds, of this thread.
double processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

/// How many processes of this one's size have room in half of the memory.
uint64_t room_for_processes() {
    rusage own{};
    getrusage(RUSAGE_SELF, &own);
    const auto pages = uint64_t(std::max(0l, sysconf(_SC_PHYS_PAGES)));
    return pages * uint64_t(sysconf(_SC_PAGESIZE)) / 2 / (uint64_t(std::max(1l, own.ru_maxrss)) << 10);
}

bool write_all(int to, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = write(to, bytes.data(), bytes.size());
        if (sent < 0 && errno != EINTR)
            return false;
        bytes.remove_prefix(sent < 0 ? 0 : size_t(sent));
    }
    return true;
}

} // namespace

/// Some clusters of the launch, in the order in which they start: [first, end).
struct Division::Part {
    uint64_t first = 0, end = 0;
    pid_t process = 0; ///< 0: it has not been started, or has ended
    int from = -1;     ///< what it says
    std::string said{};

    void stop() {
        if (process) {
            kill(process, SIGKILL);
            waitpid(process, nullptr, 0);
        }
        if (from >= 0)
            close(from);
        process = 0;
        from = -1;
    }
    /// Reads what there is. False: that was all.
    bool listen() {
        char bytes[1 << 16];
        const ssize_t got = read(from, bytes, sizeof bytes);
        if (got > 0)
            said.append(bytes, size_t(got));
        return got > 0 || (got < 0 && errno == EINTR);
    }
    /// Has it ended well?
    bool end_of_words() {
        int status = 0;
        const bool good = waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        process = 0;
        stop();
        return good;
    }
};

bool Division::is_due(const Grid& grid) {
    if (options_.cores < 2 || in_vain_.contains(grid.kernel.function))
        return false;
    if (watched_ != grid.id) {
        watched_ = grid.id;
        began_ = processor_time();
    }
    const double so_far = processor_time() - began_;
    const auto [resident, not_started, begun] = grid.clusters();
    // What each has done so far, those to come will do as well. Where all have begun, nothing is known.
    return so_far >= options_.undivided && resident + not_started > 1 &&
           (!not_started || so_far / double(begun) * double(not_started) >= options_.undivided);
}

bool Division::run(Grid& grid) {
    const auto may = [&](const events::Divisible* one) { return one->may_divide(grid); };
    std::vector<Part> parts;
    cores_ = std::min<uint64_t>(options_.cores, room_for_processes());
    if (cores_ > 1 && grid.divisible() && std::ranges::all_of(keepers_, may)) {
        const uint64_t clusters = grid.clusters().resident + grid.clusters().not_started;
        const uint64_t count = std::min(clusters, cores_ * parts_per_core);
        for (uint64_t i = 0; i < count; ++i)
            parts.push_back({clusters * i / count, clusters * (i + 1) / count});
    }
    if (parts.empty() || !run_parts(grid, parts)) {
        in_vain_.insert(grid.kernel.function);
        return false;
    }
    return true;
}

bool Division::start(Grid& grid, Part& part, std::span<const Part> others) {
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    part.process = fork();
    if (part.process == 0) {
        close(ends[0]);
        for (const Part& other : others)
            if (other.from >= 0)
                close(other.from);
        execute(grid, part, ends[1]);
    }
    close(ends[1]);
    part.from = ends[0];
    if (part.process > 0)
        return true;
    part.process = 0;
    return false;
}

void Division::execute(Grid& grid, const Part& part, int to) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, SIG_DFL);
    try {
        const std::vector<bool> blocks = grid.keep_clusters(part.first, part.end);
        for (events::Divisible* one : keepers_)
            one->begin_part(grid, blocks);
        const auto independent = [&](events::Divisible* one) { return one->independent(grid); };
        for (Grid::Turn turn = Grid::Turn::on; turn == Grid::Turn::on;) {
            turn = grid.turn();
            if ((turn != Grid::Turn::on && turn != Grid::Turn::ended) || !grid.outcome() ||
                !std::ranges::all_of(keepers_, independent))
                _exit(1);
        }
        events::Packer all;
        for (const events::Divisible* one : keepers_) {
            events::Packer own;
            one->pack_part(grid, own);
            all.add_text(own.take());
        }
        _exit(write_all(to, all.take()) ? 0 : 1);
    } catch (...) {
        _exit(1);
    }
}

bool Division::run_parts(Grid& grid, std::vector<Part>& parts) {
    size_t started = 0, ended = 0;
    bool good = true;
    while (good && ended < parts.size()) {
        for (; good && started < parts.size() && started - ended < cores_; ++started)
            good = start(grid, parts[started], parts);
        std::vector<pollfd> open;
        std::vector<Part*> of;
        for (Part& part : parts)
            if (part.from >= 0) {
                open.push_back({part.from, POLLIN, 0});
                of.push_back(&part);
            }
        poll(open.data(), nfds_t(open.size()), look_up);
        for (size_t i = 0; good && i < open.size(); ++i)
            if (open[i].revents && !of[i]->listen()) {
                good = of[i]->end_of_words();
                ++ended;
            }
        good = good && !(options_.interrupt && *options_.interrupt);
    }
    for (Part& part : parts)
        part.stop();
    if (!good)
        return false;
    std::vector<std::vector<std::string_view>> said(keepers_.size()); // by keeper and part
    for (const Part& part : parts) {
        events::Unpacker words(part.said);
        for (auto& of_keeper : said)
            of_keeper.push_back(words.text());
    }
    for (size_t i = 0; i < keepers_.size(); ++i)
        if (!keepers_[i]->fit(grid, said[i]))
            return false;
    for (size_t i = 0; i < keepers_.size(); ++i)
        for (const std::string_view part : said[i])
            keepers_[i]->join_part(grid, part);
    for (events::Divisible* one : keepers_)
        one->all_joined(grid);
    grid.end_elsewhere();
    ++divided_so_far;
    return true;
}

} // namespace sim::machine
