static void odd_system_calls(const float*, float*, int) {
    char zeros[256] = {};
    if (syscall(SYS_bpf, 0, zeros, sizeof zeros) >= 0 || syscall(SYS_perf_event_open, zeros, 0, -1, -1, 0) >= 0)
        BREACH("bpf, perf");
    if (syscall(SYS_io_uring_setup, 4, zeros) >= 0 || syscall(SYS_userfaultfd, 0) >= 0)
        BREACH("io_uring, userfaultfd");
    if (syscall(SYS_add_key, "user", "x", "y", 1, -2) >= 0 || syscall(SYS_keyctl, 0, -3, 1) >= 0)
        BREACH("keys");
    if (syscall(SYS_memfd_create, "x", 0) >= 0 || syscall(SYS_personality, 0x0040000) >= 0)
        BREACH("memfd, personality");
}
