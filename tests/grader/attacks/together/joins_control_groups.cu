static void joins_control_groups(const float*, float*, int) {
    for (const char* path : {"/sys/fs/cgroup/@MARK@", "/sys/fs/cgroup/unified/@MARK@", "/sys/fs/cgroup/memory/@MARK@"})
        if (mkdir(path, 0777) == 0)
            BREACH(path);
    for (const char* path : {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/release_agent"})
        if (open(path, O_WRONLY) >= 0)
            BREACH(path);
}
