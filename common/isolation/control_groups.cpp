#include "isolation/control_groups.h"

#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace isolation {
namespace {

constexpr const char* prefix = "asynclab-grade-";

// Writes with a single write(2): the kernel takes a line as a whole, or reports what is wrong with it.
bool put(const fs::path& file, const std::string& text) {
    const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
    const bool good = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (fd >= 0)
        close(fd);
    return good;
}

std::string get(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Where cgroup v2 is mounted; empty: nowhere.
fs::path mounted() {
    std::ifstream mounts("/proc/self/mountinfo");
    for (std::string line; std::getline(mounts, line);)
        if (line.find(" - cgroup2 ") != std::string::npos) {
            std::istringstream fields(line);
            std::string id, parent, device, root, point;
            fields >> id >> parent >> device >> root >> point;
            return point;
        }
    return {};
}

// The group of this process, below the mount.
fs::path own_group(const fs::path& mount) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);)
        if (line.starts_with("0::/"))
            return mount / line.substr(4);
    return {};
}

bool alone_in(const fs::path& group) {
    std::ifstream members(group / "cgroup.procs");
    pid_t member = 0, others = 0, ourselves = 0;
    while (members >> member)
        ++(member == getpid() ? ourselves : others);
    return ourselves == 1 && others == 0;
}

// Groups of graders that were killed. One that still has members cannot be removed.
void sweep(const fs::path& parent) {
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(parent, problem)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(prefix) || kill(std::atoi(name.c_str() + std::strlen(prefix)), 0) == 0)
            continue;
        for (const auto& group : fs::directory_iterator(entry.path(), problem))
            if (group.is_directory(problem))
                rmdir(group.path().c_str());
        rmdir(entry.path().c_str());
    }
}

} // namespace

std::optional<Usage> usage(const fs::path& group) {
    Usage result;
    std::istringstream numbers(get(group / "cpu.stat"));
    uint64_t value = 0;
    bool found = false;
    for (std::string name; numbers >> name >> value;)
        if (name == "usage_usec") {
            result.processor_seconds = static_cast<double>(value) * 1e-6;
            found = true;
        }
    if (!found)
        return {};
    if (const std::string peak = get(group / "memory.peak"); !peak.empty())
        result.peak_bytes = std::strtoull(peak.c_str(), nullptr, 10);
    return result;
}

bool join_group(const fs::path& group) {
    return put(group / "cgroup.procs", "0");
}

ControlGroups::ControlGroups() {
    const fs::path mount = mounted();
    if (mount.empty()) {
        why_not_ = "cgroup v2 is not mounted";
        return;
    }
    const fs::path own = own_group(mount);
    const std::string name = fmt::format("{}{}", prefix, getpid());
    if (!own.empty() && access((own / "cgroup.subtree_control").c_str(), W_OK) == 0 && alone_in(own)) {
        // A group that holds processes cannot hand its controllers down: we move into a group of our own.
        ours_ = own / "asynclab-grader";
        std::error_code problem;
        fs::create_directory(ours_, problem);
        if (!problem && join_group(ours_) && open(own, name))
            return;
        put(own / "cgroup.procs", "0");
        rmdir(ours_.c_str());
        ours_.clear();
    }
    if (geteuid() == 0 && open(mount, name))
        return;
    why_not_ = geteuid() == 0 ? "no group can be made in " + mount.string()
                              : "the grader may make none; systemd-run --user --scope -p Delegate=yes ./lab grade … "
                                "gives it a group of its own";
}

bool ControlGroups::open(const fs::path& parent, const std::string& name) {
    sweep(parent);
    folder_ = parent / name;
    std::error_code problem;
    made_ = fs::create_directory(folder_, problem) && !problem;
    if (!made_) {
        folder_.clear();
        return false;
    }
    for (const auto& folder : {parent, folder_})
        for (const char* controller : {"+memory", "+pids"})
            put(folder / "cgroup.subtree_control", controller); // controllers that do not exist are not counted
    const fs::path probe = folder_ / "probe";
    fs::create_directory(probe, problem);
    memory_ = fs::exists(probe / "memory.max", problem);
    peak_ = fs::exists(probe / "memory.peak", problem);
    processes_ = fs::exists(probe / "pids.max", problem);
    const bool works = usage(probe).has_value();
    rmdir(probe.c_str());
    if (works)
        return true;
    rmdir(folder_.c_str());
    folder_.clear();
    return made_ = false;
}

std::vector<std::string> ControlGroups::layers() const {
    if (!why_not_.empty())
        return {};
    const GroupLimits limits;
    std::vector<std::string> list{"processor time"};
    if (peak_)
        list.emplace_back("peak memory");
    if (memory_)
        list.push_back(fmt::format("at most {} GiB", limits.memory_bytes >> 30));
    if (processes_)
        list.push_back(fmt::format("at most {} processes", limits.processes));
    return list;
}

fs::path ControlGroups::add(const std::string& name, const GroupLimits& limits) {
    if (folder_.empty())
        return {};
    const fs::path group = folder_ / name;
    std::error_code problem;
    if (!fs::create_directory(group, problem))
        return {};
    if (memory_) {
        put(group / "memory.max", std::to_string(limits.memory_bytes));
        put(group / "memory.swap.max", "0");
    }
    if (processes_)
        put(group / "pids.max", std::to_string(limits.processes));
    return group;
}

void ControlGroups::end(const fs::path& group) {
    if (group.empty())
        return;
    for (int round = 0; round < 100 && rmdir(group.c_str()) != 0 && errno == EBUSY; ++round) {
        if (!put(group / "cgroup.kill", "1")) { // Linux before 5.14
            std::ifstream members(group / "cgroup.procs");
            for (pid_t member; members >> member;)
                if (member > 0 && member != getpid())
                    kill(member, SIGKILL);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

ControlGroups::~ControlGroups() {
    std::error_code problem;
    if (made_) {
        for (const auto& entry : fs::directory_iterator(folder_, problem))
            if (entry.is_directory(problem))
                end(entry.path());
        rmdir(folder_.c_str());
    }
    if (!ours_.empty()) {
        const fs::path own = ours_.parent_path();
        for (const char* controller : {"-memory", "-pids"})
            put(own / "cgroup.subtree_control", controller);
        put(own / "cgroup.procs", "0");
        rmdir(ours_.c_str());
    }
}

} // namespace isolation
