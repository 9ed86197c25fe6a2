#include "isolation/isolation.h"

#include <algorithm>
#include <array>
#include <csignal>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation/bubblewrap.h"
#include "isolation/call_filter.h"
#include "isolation/fields.h"
#include "isolation/landlock.h"
#include "isolation/system_files.h"
#include "isolation/user.h"

namespace isolation {
namespace {

constexpr int rules_descriptor = 8; // where enter() finds the rules

bool locks_files(const Box& box) {
    return box.level == Level::landlock || (box.level == Level::user && landlock_version());
}

// Tries the level with a program that does nothing. What fails in practice is found out here, whatever the reason.
std::string tried(Level level) {
    if (level == Level::limits)
        return {};
    if (level == Level::landlock && !landlock_version())
        return "this kernel has no Landlock, or Landlock is switched off";
    if (level == Level::user && geteuid() != 0)
        return "only root can change users";
    if (level == Level::bubblewrap && bwrap().empty())
        return "bwrap is not installed (apt install bubblewrap)";
    const Box box{.level = level, .user = throwaway_user()};
    if (level == Level::user && !box.user)
        return "this container has no users to spare";
    Entry way = entry(box, {"/usr/bin/true"}, {});
    std::vector<char*> arguments;
    for (const auto& argument : way.arguments)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    int complaints[2];
    if (pipe2(complaints, O_CLOEXEC) != 0)
        return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        dup2(complaints[1], 1);
        dup2(complaints[1], 2);
        if (way.descriptor >= 0)
            dup2(way.descriptor, way.descriptor_at);
        if (enter(box, way))
            execvp(arguments[0], arguments.data());
        _exit(125);
    }
    close(complaints[1]);
    if (way.descriptor >= 0)
        close(way.descriptor);
    char text[400];
    std::string said;
    for (ssize_t got; (got = read(complaints[0], text, sizeof text)) > 0;)
        if (said.size() < sizeof text)
            said.append(text, static_cast<size_t>(got));
    close(complaints[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {};
    while (!said.empty() && said.back() == '\n')
        said.pop_back();
    return said.empty() ? "tried, and it failed" : said;
}

} // namespace

std::string_view name(Level level) {
    return base::name_of(level);
}

std::optional<Level> level_named(std::string_view name) {
    for (const Level level : levels)
        if (isolation::name(level) == name)
            return level;
    return {};
}

const std::string& why_not(Level level) {
    static std::array<std::optional<std::string>, 4> known;
    auto& answer = known[static_cast<size_t>(level)];
    if (!answer)
        answer = tried(level);
    return *answer;
}

Level strongest() {
    for (const Level level : {Level::bubblewrap, Level::user, Level::landlock})
        if (why_not(level).empty())
            return level;
    return Level::limits;
}

std::vector<std::string> not_stopped(Level level) {
    std::vector<std::string> list{"bugs of the Linux kernel itself", "taking processor time up to the limits"};
    if (level == Level::bubblewrap)
        return list;
    list.emplace_back("seeing the machine's processes, with their command lines, and its system information");
    const bool locked = landlock_version() > 0 && level != Level::limits;
    if (!locked)
        list.emplace_back("reading every file that all users of this machine may read, solutions/ included");
    else
        list.emplace_back("seeing the names, sizes and times of files outside of the box, whose contents stay closed");
    if (level == Level::landlock)
        list.emplace_back("running as the grader's own user: its limits are shared with the grader");
    if (level == Level::limits)
        list.emplace_back("reading and writing whatever the grader's user may, the network, signals, processes that "
                          "stay behind: for trusted files only");
    return list;
}

Description describe(Level level) {
    std::vector<std::string> layers{"limits"};
    if (level != Level::limits) {
        layers.emplace_back("seccomp");
        if (landlock_version() && level != Level::bubblewrap)
            layers.emplace_back("landlock");
    }
    if (geteuid() == 0)
        layers.emplace_back("user");
    if (level == Level::bubblewrap)
        layers.emplace_back("namespaces");
    return {std::string(name(level)), layers, not_stopped(level)};
}

Entry entry(const Box& box, std::vector<std::string> arguments, const fs::path& directory) {
    if (box.level == Level::bubblewrap)
        return {bwrap_arguments(box, arguments, directory), {}, compiled({box.compiler, false}), filter_descriptor};
    Entry entry{std::move(arguments)};
    if (box.level != Level::limits)
        entry.calls = call_filter(box.compiler);
    if (locks_files(box)) {
        auto readable = box.readable;
        if (std::find(readable.begin(), readable.end(), "/") == readable.end()) {
            const auto system = system_files(box.compiler);
            readable.insert(readable.end(), system.begin(), system.end());
        }
        entry.descriptor = landlock_rules(readable, box.writable);
        entry.descriptor_at = rules_descriptor;
    }
    return entry;
}

bool enter(const Box& box, Entry& entry) {
    // When memory runs out, it is not to be the grader that dies.
    if (const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
        if (write(fd, "1000", 4) < 0) {
        }
        close(fd);
    }
    if (box.level == Level::bubblewrap)
        return true; // bwrap does the rest
    if (locks_files(box) && (entry.descriptor < 0 || !landlock(rules_descriptor) || close(rules_descriptor) != 0))
        return false;
    if (box.user && !become(box.user))
        return false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    return box.level == Level::limits || load(entry.calls);
}

} // namespace isolation
