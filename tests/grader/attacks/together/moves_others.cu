// Where others run, with what priority, and with how much.
static void moves_others(const float*, float*, int) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    for (const int pid : {@VICTIM@, int(getppid()), 1}) {
        if (sched_setaffinity(pid, sizeof one, &one) == 0)
            BREACH("affinity");
        if (syscall(SYS_setpriority, 0, pid, 19) == 0)
            BREACH("nice");
        unsigned long limit[2] = {1, 1};
        if (syscall(SYS_prlimit64, pid, 7, limit, nullptr) == 0)
            BREACH("limits");
        if (syscall(SYS_migrate_pages, pid, 0, nullptr, nullptr) == 0 || syscall(SYS_move_pages, pid, 0, nullptr, nullptr, nullptr, 0) == 0)
            BREACH("pages");
        sched_param idle{0};
        if (sched_setscheduler(pid, SCHED_IDLE, &idle) == 0)
            BREACH("idle");
    }
}
