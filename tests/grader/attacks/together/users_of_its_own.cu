// Root among users that it has made up.
static void users_of_its_own(const float*, float*, int) {
    const long child = syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNS | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (child == 0)
        _exit(0);
    if (child > 0)
        BREACH("clone");
    unsigned long arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    const long other = syscall(SYS_clone3, arguments, sizeof arguments);
    if (other == 0)
        _exit(0);
    if (other > 0)
        BREACH("clone3");
    for (const char* path : {"/proc/self/uid_map", "/proc/self/setgroups"}) {
        const int fd = open(path, O_WRONLY);
        if (fd >= 0 && write(fd, "0 0 1", 5) == 5)
            BREACH(path);
    }
}
