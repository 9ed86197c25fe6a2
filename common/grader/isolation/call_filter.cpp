#include "grader/isolation/call_filter.h"

#include <cerrno>
#include <memory>

#include <linux/sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace isolation {
namespace {

using Context = std::unique_ptr<void, decltype(&seccomp_release)>;

// clang-format off
constexpr const char* program_calls[] = {
    // memory, threads, time
    "brk", "munmap", "mprotect", "mremap", "madvise", "mincore", "msync", "membarrier", "futex", "futex_waitv",
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
    "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd", "chdir", "fcntl", "dup", "dup2",
    "dup3", "pipe", "pipe2", "ftruncate", "fsync", "fdatasync", "ioctl", "poll", "ppoll", "select", "pselect6",
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
    // That it dies with the grader is not for it to change.
    good &= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_NE, PR_SET_PDEATHSIG)) == 0;
    // Memory that no limit counts: shared and of no file.
    good &= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                             SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED)) == 0;
    good &=
        seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED, 0)) == 0;
    // A process of the same user could lower the grader's limits; 0 means itself.
    good &= seccomp_rule_add(context, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_EQ, 0)) == 0;
    for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)})
        good &= filter.self ? seccomp_rule_add(context, SCMP_ACT_ALLOW, call, 1,
                                               SCMP_A0(SCMP_CMP_EQ, static_cast<uint32_t>(filter.self))) == 0
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
    if (filter.self)
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

bool load(const CallFilter& filter) {
    const Context context = make(filter);
    return context && seccomp_load(context.get()) == 0;
}

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

} // namespace isolation
