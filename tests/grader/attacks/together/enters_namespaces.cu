static void enters_namespaces(const float*, float*, int) {
    for (const char* path : {"/proc/1/ns/mnt", "/proc/@VICTIM@/ns/mnt", "/proc/1/ns/user", "/proc/@VICTIM@/ns/net", "/proc/1/ns/pid"})
        if (const int fd = open(path, O_RDONLY); fd >= 0 && setns(fd, 0) == 0)
            BREACH(path);
    if (setns(static_cast<int>(syscall(SYS_pidfd_open, @VICTIM@, 0)), CLONE_NEWNS) == 0)
        BREACH("by its process");
}
