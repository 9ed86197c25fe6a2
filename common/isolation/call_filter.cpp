#include "isolation/call_filter.h"

#include <cerrno>
#include <memory>

#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace isolation {
namespace {

using Context = std::unique_ptr<void, decltype(&seccomp_release)>;

// clang-format off
constexpr const char* program_calls[] = {
    // memory, threads, time
    "brk", "munmap", "mprotect", "madvise", "mincore", "msync", "membarrier", "futex", "futex_waitv",
    "set_robust_list", "get_robust_list", "set_tid_address", "rseq", "arch_prctl", "exit", "exit_group",
    "restart_syscall", "sched_yield", "sched_getaffinity", "sched_getparam",
    "sched_getscheduler", "sched_get_priority_max", "sched_get_priority_min", "getcpu", "clock_gettime",
    "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "alarm", "setitimer",
    "getitimer", "timer_create", "timer_settime", "timer_gettime", "timer_delete", "getrusage", "getrandom",
    // signals to itself: kill and tgkill are looked at below
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend", "rt_sigtimedwait",
    "sigaltstack", "pause", "signalfd4",
    // who am I
    "getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid",
    "getpgrp", "getpgid", "getsid", "uname", "sysinfo", "getrlimit", "capget", "umask",
    // what setpriv does on the way in; without rights to give away they do nothing
    "capset", "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups",
    // files that may be opened are the business of Landlock and mounts
    "read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "pwritev", "open", "openat", "close",
    "close_range", "lseek", "stat", "fstat", "lstat", "newfstatat", "statx", "statfs", "fstatfs", "access",
    "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd", "chdir", "dup", "dup2",
    "dup3", "pipe", "pipe2", "ftruncate", "fsync", "fdatasync", "poll", "ppoll", "select", "pselect6",
    "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2", "fadvise64",
    // the two sockets it is given
    "sendmsg", "recvmsg", "sendto", "recvfrom", "shutdown", "getsockopt", "getsockname", "getpeername",
    // the way in; bwrap, the first process inside, waits for the program
    "execve", "wait4", "waitid",
};

constexpr const char* compiler_denied[] = {
    "socket", "socketpair", "bind", "listen", "connect", "accept", "accept4", "ptrace", "process_vm_readv",
    "process_vm_writev", "process_madvise", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "tkill",
    "rt_sigqueueinfo", "rt_tgsigqueueinfo", "kcmp", "mount", "umount2", "pivot_root", "chroot", "setns", "unshare",
    "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "bpf", "perf_event_open",
    "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key", "request_key",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "open_by_handle_at",
    "name_to_handle_at", "truncate", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr",
    "fremovexattr", "mknod", "mknodat", "acct", "swapon", "swapoff", "reboot", "sethostname", "setdomainname", "iopl",
    "ioperm", "quotactl", "syslog", "settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "personality",
    "shmget", "shmat", "shmctl", "msgget", "semget", "mq_open", "memfd_create", "memfd_secret",
};
// clang-format on

// A descriptor's flags, copies, locks and seals; not F_SETOWN, which can send signals to other processes of the same
// user. Programs have no use for F_GETPIPE_SZ and the like.
constexpr int harmless_fcntl[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD,  F_GETFL,
                                  F_SETFL, F_GETLK,         F_SETLK, F_SETLKW, F_GET_SEALS};
constexpr unsigned long harmless_ioctl[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
// The options that a C library and setpriv use. Compared as a whole: the kernel looks at the lower half only.
constexpr int harmless_prctl[] = {PR_SET_NAME,         PR_GET_NAME,         PR_GET_DUMPABLE, PR_SET_DUMPABLE,
                                  PR_GET_PDEATHSIG,    PR_GET_SECCOMP,      PR_CAPBSET_READ, PR_CAPBSET_DROP,
                                  PR_GET_KEEPCAPS,     PR_SET_KEEPCAPS,     PR_CAP_AMBIENT,  PR_GET_SECUREBITS,
                                  PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_VMA};

// In a filter that is not loaded yet: the process that will load it. No process has a number as high as that.
constexpr uint32_t self = 0x5e1f5e1f;

template <class Numbers>
bool allow_only(scmp_filter_ctx context, int call, unsigned argument, const Numbers& numbers) {
    bool good = true;
    for (const auto number : numbers)
        good &= seccomp_rule_add(context, SCMP_ACT_ALLOW, call, 1,
                                 scmp_arg_cmp{argument, SCMP_CMP_EQ, static_cast<uint64_t>(number), 0}) == 0;
    return good;
}

// Names that this libseccomp or this architecture does not know need no rule.
bool rule(scmp_filter_ctx context, uint32_t action, const char* call) {
    const int number = seccomp_syscall_resolve_name(call);
    return number == __NR_SCMP_ERROR || seccomp_rule_add(context, action, number, 0) == 0;
}

bool add_program_rules(scmp_filter_ctx context, const CallFilter& filter) {
    bool good = true;
    for (const char* call : program_calls)
        good &= rule(context, SCMP_ACT_ALLOW, call);
    // Threads, no processes. clone3 hides its flags in memory: with ENOSYS the C library falls back to clone.
    good &= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                             SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)) == 0;
    good &= seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    good &= allow_only(context, SCMP_SYS(prctl), 0, harmless_prctl); // that it dies with the grader, stays
    good &= allow_only(context, SCMP_SYS(fcntl), 1, harmless_fcntl);
    good &= allow_only(context, SCMP_SYS(ioctl), 1, harmless_ioctl);
    // Memory that no limit counts: shared and of no file; of the stack's kind, by mmap or, from the stack, by mremap.
    good &= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                             SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN, MAP_SHARED)) == 0;
    good &= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                             SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_GROWSDOWN, 0)) == 0;
    // A process of the same user could lower the grader's limits; 0 means itself.
    good &= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_EQ, 0)) == 0;
    for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)})
        good &= filter.only_self ? seccomp_rule_add(context, SCMP_ACT_ALLOW, call, 1, SCMP_A0(SCMP_CMP_EQ, self)) == 0
                                 : seccomp_rule_add(context, SCMP_ACT_ALLOW, call, 0) == 0;
    return good;
}

bool add_compiler_rules(scmp_filter_ctx context, const CallFilter& filter) {
    bool good = true;
    for (const char* call : compiler_denied)
        good &= rule(context, SCMP_ACT_ERRNO(EPERM), call);
    for (const unsigned long flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET})
        good &= seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                 SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)) == 0;
    good &= seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    for (const int command : {F_SETOWN, F_SETOWN_EX, F_SETSIG}) // signals by another way
        good &= seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(fcntl), 1,
                                 SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, static_cast<uint64_t>(command))) == 0;
    for (const unsigned long request : {FIOSETOWN, SIOCSPGRP, TIOCSTI})
        good &= seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                                 SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, request)) == 0;
    if (filter.only_self)
        good &= seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(kill), 0) == 0;
    return good;
}

Context make(const CallFilter& filter) {
    Context context(seccomp_init(filter.compiler ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM)), seccomp_release);
    if (context &&
        !(filter.compiler ? add_compiler_rules(context.get(), filter) : add_program_rules(context.get(), filter)))
        context.reset();
    return context;
}

} // namespace

int compiled(const CallFilter& filter) {
    const Context context = make(filter);
    if (!context)
        return -1;
    const int fd = memfd_create("filter", 0);
    if (fd >= 0 && (seccomp_export_bpf(context.get(), fd) != 0 || lseek(fd, 0, SEEK_SET) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

namespace {

std::vector<sock_filter> read_compiled(const CallFilter& filter) {
    const int fd = compiled(filter);
    struct stat status {};
    std::vector<sock_filter> program;
    if (fd >= 0 && fstat(fd, &status) == 0)
        program.resize(static_cast<size_t>(status.st_size) / sizeof(sock_filter));
    if (fd < 0 || read(fd, program.data(), program.size() * sizeof(sock_filter)) != status.st_size)
        program.clear();
    if (fd >= 0)
        close(fd);
    return program;
}

} // namespace

const std::vector<sock_filter>& call_filter(bool compiler) {
    static const std::vector<sock_filter> of_compilers = read_compiled({true, true}),
                                          of_programs = read_compiled({false, true});
    return compiler ? of_compilers : of_programs;
}

bool load(std::vector<sock_filter>& filter) {
    for (sock_filter& instruction : filter)
        if (instruction.k == self && BPF_CLASS(instruction.code) == BPF_JMP)
            instruction.k = static_cast<uint32_t>(getpid());
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    return !filter.empty() && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace isolation
