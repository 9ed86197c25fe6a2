// Signals with data, and to groups.
static void queues_signals(const float*, float*, int) {
    siginfo_t information = {};
    information.si_code = -1;
    for (const int pid : {@VICTIM@, int(getppid())})
        if (pid > 1 && (syscall(SYS_rt_sigqueueinfo, pid, SIGUSR1, &information) == 0 ||
                        syscall(SYS_rt_tgsigqueueinfo, pid, pid, SIGUSR1, &information) == 0 || syscall(SYS_tgkill, pid, pid, 0) == 0 ||
                        syscall(SYS_tkill, pid, 0) == 0))
            BREACH("a signal");
    if (getpgid(getppid()) > 1 && getpgid(getppid()) != getpgrp() && kill(-getpgid(getppid()), 0) == 0)
        BREACH("a group");
}
