// Code for the kernel itself.
static void loads_modules(const float*, float*, int) {
    if (syscall(SYS_init_module, "", 0, "") >= 0 || syscall(SYS_finit_module, 0, "", 0) >= 0 || syscall(SYS_delete_module, "x", O_NONBLOCK) >= 0)
        BREACH("modules");
    if (syscall(SYS_kexec_load, 0, 0, nullptr, 0) >= 0 || syscall(SYS_kexec_file_load, 0, 0, 0, nullptr, 0) >= 0)
        BREACH("another kernel");
}
