static void ports_and_segments(const float*, float*, int) {
    if (syscall(SYS_iopl, 3) == 0 || syscall(SYS_ioperm, 0x80, 1, 1) == 0)
        BREACH("ports");
    char entry[16] = {};
    if (syscall(SYS_modify_ldt, 1, entry, sizeof entry) == 0)
        BREACH("a segment");
}
