// Performance counters see other processes.
static void counts_other_processes_events(const float*, float*, int) {
    struct { unsigned type, size; unsigned long config, rest[14]; } event = {1, sizeof event, 0, {}};
    for (const int pid : {0, -1, @VICTIM@, int(getppid())})
        for (const int cpu : {-1, 0})
            if (syscall(SYS_perf_event_open, &event, pid, cpu, -1, 0) >= 0)
                BREACH("a counter");
}
