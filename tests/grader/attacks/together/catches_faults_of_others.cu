// Faults that a process handles for the kernel.
static void catches_faults_of_others(const float*, float*, int) {
    for (const int flags : {0, 1, O_CLOEXEC, O_NONBLOCK})
        if (syscall(SYS_userfaultfd, flags) >= 0)
            BREACH("userfaultfd");
    if (open("/dev/userfaultfd", O_RDWR) >= 0)
        BREACH("/dev/userfaultfd");
}
