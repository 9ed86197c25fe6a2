#include "isolation/device_box.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation/isolation.h"
#include "isolation/landlock.h"
#include "isolation/user.h"

namespace isolation {
namespace {

// Memory, threads, time, and messages on the sockets that it holds. No call takes a path, and none makes a descriptor
// but those that arrive in a message. EPERM for the rest, so that the C library can do without.
constexpr const char* device_calls[] = {
    "brk",      "munmap",        "madvise",      "membarrier",      "futex",        "set_robust_list",
    "rseq",     "exit",          "exit_group",   "restart_syscall", "sched_yield",  "sched_getaffinity",
    "getcpu",   "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep",    "gettimeofday",
    "time",     "getrandom",     "rt_sigaction", "rt_sigprocmask",  "rt_sigreturn", "sigaltstack",
    "getpid",   "gettid",        "read",         "readv",           "write",        "writev",
    "close",    "poll",          "ppoll",        "sendmsg",         "recvmsg",      "sendto",
    "recvfrom", "shutdown",
};

bool add_rules(scmp_filter_ctx filter) {
    bool good = seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 1) == 0;
    // What is worth guessing by speculation is in other processes. Absent in old libraries and kernels.
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    for (const char* call : device_calls) {
        const int number = seccomp_syscall_resolve_name(call);
        good &= number == __NR_SCMP_ERROR || seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0) == 0;
    }
    // Threads, no processes. clone3 hides its flags in memory: with ENOSYS the C library falls back to clone.
    good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)) == 0;
    good &= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    // No new code, and no memory that RLIMIT_DATA does not count: shared without a file, or of the stack's kind.
    good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
                             SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC | PROT_GROWSDOWN | PROT_GROWSUP, 0)) == 0;
    const auto no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, no_code,
                             SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN, MAP_SHARED)) == 0;
    good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, no_code,
                             SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_GROWSDOWN, 0)) == 0;
    // abort() ends itself by a signal.
    good &= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                             SCMP_A0(SCMP_CMP_EQ, static_cast<uint64_t>(getpid()))) == 0;
    return good;
}

bool filter_calls() {
    const std::unique_ptr<void, decltype(&seccomp_release)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)),
                                                                   seccomp_release);
    return filter && add_rules(filter.get()) && seccomp_load(filter.get()) == 0;
}

bool limit(__rlimit_resource resource, rlim_t value) {
    rlimit now{};
    if (getrlimit(resource, &now) != 0)
        return false;
    now.rlim_max = std::min(now.rlim_max, value);
    now.rlim_cur = std::min(now.rlim_cur, value);
    return setrlimit(resource, &now) == 0;
}

bool limit_all(const DeviceBox& box) {
    constexpr rlim_t most_stack = rlim_t{64} << 20; // which RLIMIT_DATA does not count
    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_MEMLOCK, 0) && limit(RLIMIT_MSGQUEUE, 0) &&
           limit(RLIMIT_NOFILE, DeviceBox::descriptors) && limit(RLIMIT_STACK, most_stack) &&
           (!box.data_bytes || limit(RLIMIT_DATA, box.data_bytes)) &&
           (!box.processor_seconds || limit(RLIMIT_CPU, box.processor_seconds));
}

// Only root can, and only root has to.
void drop_bounding_set() {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

// Some containers have a root that cannot: there, root without capabilities is the user that owns no process but these.
bool change_user(uid_t user) {
    return !user || become(user) || errno == EPERM;
}

bool drop_capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
    return syscall(SYS_capset, &header, none) == 0;
}

// When memory runs out, the device is to die, not the grader.
void offer_memory() {
    if (const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
        if (write(fd, "1000", 4) < 0) {
        }
        close(fd);
    }
}

bool lock_files() {
    if (!landlock_version())
        return true; // the filter lets nothing be opened anyway
    const int rules = landlock_rules({}, {});
    const bool good = rules >= 0 && landlock(rules);
    if (rules >= 0)
        close(rules);
    return good;
}

} // namespace

std::string enter(const DeviceBox& box) {
    const auto refused = [](const char* what) { return std::string(what) + ": " + std::strerror(errno); };
    offer_memory();
    if (!limit_all(box))
        return refused("limits");
    if (!lock_files())
        return refused("Landlock");
    drop_bounding_set();
    if (!change_user(box.user))
        return refused("another user");
    if (!drop_capabilities())
        return refused("capabilities");
    // Other processes of this user may not look at it.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return refused("prctl");
    return filter_calls() ? "" : refused("seccomp");
}

const std::string& why_no_device_box() {
    static const std::string answer = [] {
        int said[2];
        if (pipe2(said, O_CLOEXEC) != 0)
            return std::string("no pipe");
        const pid_t child = fork();
        if (child == 0) {
            std::string reason = enter({.user = throwaway_user()});
            if (reason.empty() && open("/", O_RDONLY | O_CLOEXEC) >= 0)
                reason = "seccomp has no effect";
            const bool sent = write(said[1], reason.data(), reason.size()) == static_cast<ssize_t>(reason.size());
            _exit(sent ? 0 : 1);
        }
        close(said[1]);
        char text[200];
        const ssize_t got = read(said[0], text, sizeof text);
        close(said[0]);
        int status = 0;
        waitpid(child, &status, 0);
        if (got > 0)
            return std::string(text, static_cast<size_t>(got));
        return std::string(WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "tried, and it failed");
    }();
    return answer;
}

std::vector<std::string> device_box_layers() {
    std::vector<std::string> layers{"limits", "no capabilities", "seccomp"};
    if (landlock_version())
        layers.emplace_back("landlock");
    if (geteuid() == 0)
        layers.emplace_back("user");
    return layers;
}

} // namespace isolation
