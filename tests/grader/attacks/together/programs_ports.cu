// Ports of the machine.
static void programs_ports(const float*, float*, int) {
    if (syscall(SYS_iopl, 3) == 0 || syscall(SYS_ioperm, 0x70, 2, 1) == 0)
        BREACH("ports");
    for (const char* path : {"/dev/port", "/dev/cpu/0/msr", "/dev/hpet", "/dev/nvram", "/dev/rtc0"})
        if (open(path, O_RDWR) >= 0)
            BREACH(path);
}
