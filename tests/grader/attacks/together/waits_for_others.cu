// Children and states of others.
static void waits_for_others(const float*, float*, int) {
    for (const int pid : {@VICTIM@, int(getppid())}) {
        siginfo_t information = {};
        if (waitid(P_PID, pid, &information, WEXITED | WNOHANG | WNOWAIT) == 0)
            BREACH("waitid");
        if (syscall(SYS_kcmp, getpid(), pid, 0, 0, 0) >= 0)
            BREACH("kcmp");
        if (syscall(440 /* process_madvise */, pid, nullptr, 0, 4, 0) >= 0 || syscall(448 /* process_mrelease */, pid, 0) >= 0)
            BREACH("memory of others");
    }
}
