static void changes_attributes(const float*, float*, int) {
    for (const char* path : {"@PREY@", "/proc/self/exe", "@OTHER@"}) {
        if (syscall(SYS_setxattr, path, "user.@MARK@", "x", 1, 0) == 0 || syscall(SYS_removexattr, path, "user.x") == 0)
            BREACH(path);
        if (chown(path, getuid(), getgid()) == 0 || utimensat(AT_FDCWD, path, nullptr, 0) == 0)
            BREACH(path);
    }
}
