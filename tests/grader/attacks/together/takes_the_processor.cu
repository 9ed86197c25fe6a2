#include <sys/resource.h>
static void takes_the_processor(const float*, float*, int) {
    sched_param most{99};
    for (const int policy : {SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE})
        if (sched_setscheduler(0, policy, &most) == 0)
            BREACH("a policy");
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (sched_setaffinity(@VICTIM@, sizeof one, &one) == 0)
        BREACH("another's processors");
    if (setpriority(PRIO_PROCESS, 0, -20) == 0 || syscall(SYS_ioprio_set, 1, 0, 1 << 13) == 0)
        BREACH("a priority");
}
