#include <sys/resource.h>
// The kernel looks at the lower half of such arguments; a filter that compares all of it sees another number.
static void wide_numbers(const float*, float*, int) {
    constexpr unsigned long high = 1ul << 32;
    if (syscall(SYS_prctl, high | PR_SET_PDEATHSIG, 0) == 0)
        BREACH("it may outlive the grader");
    if (syscall(SYS_kill, high | @VICTIM@, SIGKILL) == 0 || (getppid() > 1 && syscall(SYS_kill, high | getppid(), 0) == 0))
        BREACH("kill");
    if (syscall(SYS_fcntl, 3, high | F_SETOWN, getppid()) == 0)
        BREACH("fcntl");
    if (syscall(SYS_prlimit64, high | getppid(), RLIMIT_CPU, nullptr, nullptr) == 0)
        BREACH("prlimit");
}
