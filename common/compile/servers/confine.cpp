// Part of the library that is loaded into a compiler: system calls only, no libraries.
#include "compile/servers/confine.h"

#include <cerrno>
#include <csignal>
#include <cstddef>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace servers {
namespace {

/// A system call, and which bits of one of its arguments must not be set.
struct Allowed {
    int call;
    uint32_t argument = 0, forbidden = 0;
    uint32_t answer = SECCOMP_RET_ALLOW;
};
constexpr uint32_t not_there = SECCOMP_RET_ERRNO | ENOENT;

// All that a compiler needs that has read its headers. Another call ends it, and nvcc compiles the file in its own box.
constexpr Allowed allowed[] = {
    {SYS_read},
    {SYS_pread64},
    {SYS_readv},
    {SYS_write},
    {SYS_pwrite64},
    {SYS_writev},
    {SYS_lseek},
    {SYS_close},
    {SYS_dup},
    {SYS_fstat},
    {SYS_newfstatat},
    {SYS_statx},
    {SYS_getcwd},
    {SYS_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC | O_TMPFILE}, // to read, nothing else
    {SYS_fcntl, 1, ~7U},                                        // flags and locks; not who gets which signal
    {SYS_ioctl, 1, ~uint32_t{TCGETS}},
    {SYS_mmap, 3, MAP_SHARED | MAP_GROWSDOWN}, // no memory that RLIMIT_DATA does not count
    {SYS_munmap},
    {SYS_mremap},
    {SYS_mprotect},
    {SYS_madvise},
    {SYS_brk},
    {SYS_futex},
    {SYS_rt_sigaction},
    {SYS_rt_sigprocmask},
    {SYS_rt_sigreturn},
    {SYS_sigaltstack},
    {SYS_prlimit64, 0, ~0U}, // its own
    {SYS_getrusage},
    {SYS_clock_gettime},
    {SYS_gettimeofday},
    {SYS_getpid},
    {SYS_gettid},
    {SYS_exit},
    {SYS_exit_group},
    {SYS_unlinkat, 0, 0, not_there}, // cicc's temporary file, which belongs to all copies
#ifdef __x86_64__
    {SYS_open, 1, O_ACCMODE | O_CREAT | O_TRUNC | O_TMPFILE},
    {SYS_stat},
    {SYS_lstat},
    {SYS_access},
    {SYS_dup2},
    {SYS_time},
    {SYS_unlink, 0, 0, not_there},
#endif
};

#if defined(__x86_64__)
constexpr uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t architecture = 0; // no such server
#endif

bool load_filter() {
    static sock_filter program[8 + 5 * sizeof allowed / sizeof *allowed];
    unsigned short length = 0;
    const auto add = [&](int code, uint32_t value, uint8_t if_true = 0, uint8_t if_false = 0) {
        program[length++] = {static_cast<uint16_t>(code), if_true, if_false, value};
    };
    const auto load_word = [&](size_t at) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(at)); };
    load_word(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    for (const Allowed& one : allowed) {
        load_word(offsetof(seccomp_data, nr));
        add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(one.call), 0, one.forbidden ? 3 : 1);
        if (one.forbidden) {
            load_word(offsetof(seccomp_data, args) + 8 * one.argument);
            add(BPF_JMP | BPF_JSET | BPF_K, one.forbidden, 1, 0);
        }
        add(BPF_RET | BPF_K, one.answer);
    }
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    const sock_fprog filter{length, program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool limit(__rlimit_resource resource, uint64_t most) {
    rlimit value{};
    getrlimit(resource, &value);
    value.rlim_cur = value.rlim_max = most < value.rlim_max ? most : value.rlim_max;
    return setrlimit(resource, &value) == 0;
}

bool enter_rules() {
    if (fcntl(rules, F_GETFD) < 0)
        return true; // this kernel has no Landlock
    constexpr long restrict_self = 446;
    const bool good = syscall(restrict_self, rules, 0) == 0;
    close(rules);
    return good;
}

} // namespace

bool join(int group) {
    const bool good = group < 0 || write(group, "0", 1) == 1;
    if (group >= 0)
        close(group);
    return good;
}

bool confine(const Handover& limits) {
    return architecture && prctl(PR_SET_DUMPABLE, 0) == 0 && // of those that wait beside it, none may look into it
           prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && setsid() > 0 && limit(RLIMIT_CORE, 0) && limit(RLIMIT_NPROC, 0) &&
           limit(RLIMIT_CPU, limits.processor_seconds) && limit(RLIMIT_DATA, limits.data_bytes) &&
           limit(RLIMIT_FSIZE, limits.file_bytes) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && enter_rules() &&
           load_filter();
}

} // namespace servers
