// Newer calls for old deeds.
static void opens_in_the_new_way(const float*, float*, int) {
    struct {
        unsigned long flags = O_RDONLY, mode = 0, resolve = 0;
    } how;
    if (syscall(SYS_openat2, AT_FDCWD, "@SECRETFILE@", &how, sizeof how) >= 0 || syscall(SYS_openat2, AT_FDCWD, "@OTHER@", &how, sizeof how) >= 0)
        BREACH("openat2");
    if (syscall(SYS_renameat2, AT_FDCWD, "@PREY@", AT_FDCWD, "@OTHER@", 2) == 0)
        BREACH("two files exchanged");
    if (syscall(SYS_copy_file_range, 0, nullptr, 1, nullptr, 1, 0) >= 0 || syscall(SYS_sendfile, 1, 0, nullptr, 1) > 0)
        BREACH("a copy by the kernel");
}
