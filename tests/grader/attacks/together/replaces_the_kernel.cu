// Reboots, other kernels, swap.
static void replaces_the_kernel(const float*, float*, int) {
    if (syscall(SYS_kexec_load, 0, 0, nullptr, 0) == 0 || syscall(SYS_kexec_file_load, -1, -1, 0, nullptr, 0) == 0)
        BREACH("kexec");
    if (syscall(SYS_reboot, 0xfee1dead, 672274793, 0x89abcdef, nullptr) == 0) // only Ctrl-Alt-Del
        BREACH("reboot");
    if (syscall(SYS_swapon, "@PREY@", 0) == 0 || syscall(SYS_swapoff, "@PREY@") == 0 || syscall(SYS_acct, "@PREY@") == 0)
        BREACH("swap, accounting");
}
