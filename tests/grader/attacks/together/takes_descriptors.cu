static void takes_descriptors(const float*, float*, int) {
    if (syscall(SYS_pidfd_getfd, 0, 0, 0) >= 0)
        BREACH("pidfd_getfd");
    for (const char* path : {"/proc/@VICTIM@/fd/0", "/proc/@VICTIM@/fd/1", "/proc/@VICTIM@/cwd/.", "/proc/@VICTIM@/root/etc/passwd", "/proc/@VICTIM@/exe"})
        if (open(path, O_RDONLY) >= 0)
            BREACH(path);
}
