// Priorities that starve the others.
static void becomes_urgent(const float*, float*, int) {
    for (const int policy : {SCHED_FIFO, SCHED_RR}) {
        sched_param parameters{1};
        if (sched_setscheduler(0, policy, &parameters) == 0)
            BREACH("a real-time policy");
    }
    unsigned deadline[14] = {56, 6, 0, 0, 0, 0, 1000000, 0, 2000000, 0, 2000000, 0};
    if (syscall(SYS_sched_setattr, 0, deadline, 0) == 0)
        BREACH("deadlines");
    if (syscall(SYS_setpriority, 0, 0, -20) == 0)
        BREACH("nice");
    if (syscall(SYS_ioprio_set, 1, 0, 1 << 13) == 0)
        BREACH("real-time input and output");
}
