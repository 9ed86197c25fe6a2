#include <sys/resource.h>
// Stops, but does not kill, the grader, the process group and the parent.
static void stops_others(const float*, float*, int) {
    kill(@VICTIM@, SIGSTOP);
    if (getppid() > 1 && kill(getppid(), SIGSTOP) == 0)
        BREACH("the parent");
    if (getpgrp() != getpid() && getpgrp() > 1 && kill(-getpgrp(), SIGCONT) == 0)
        BREACH("its group");
    syscall(SYS_tgkill, @VICTIM@, @VICTIM@, SIGSTOP);
    const int fd = static_cast<int>(syscall(SYS_pidfd_open, getppid() > 1 ? getppid() : @VICTIM@, 0));
    if (fd >= 0)
        BREACH("pidfd");
    if (setpriority(PRIO_USER, getuid(), 19) == 0 || sched_setscheduler(0, SCHED_BATCH, nullptr) == 0)
        BREACH("priorities");
}
