static void reads_the_kernels_log(const float*, float*, int) {
    char block[256];
    if (syscall(SYS_syslog, 3, block, sizeof block) > 0 || syscall(SYS_syslog, 10, nullptr, 0) > 0)
        BREACH("syslog");
    for (const char* path : {"/dev/kmsg", "/proc/kmsg", "/var/log/kern.log", "/var/log/syslog", "/var/log/messages", "/run/log/journal"})
        if (open(path, O_RDONLY) >= 0)
            BREACH(path);
}
