static void reads_process_states(const float*, float*, int) {
    for (const char* file : {"status", "stat", "statm", "maps", "smaps", "auxv", "io", "stack", "syscall", "limits", "mountinfo", "cgroup", "sched", "wchan"})
        if (!contents((std::string("/proc/@VICTIM@/") + file).c_str()).empty())
            BREACH(file);
}
