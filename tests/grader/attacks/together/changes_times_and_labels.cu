// What is beside the contents: times, labels, owners.
static void changes_times_and_labels(const float*, float*, int) {
    for (const char* path : {"@PREY@", "@OTHER@", "@FOLDER@"}) {
        if (syscall(SYS_utimensat, AT_FDCWD, path, nullptr, 0) == 0)
            BREACH("times");
        if (syscall(SYS_setxattr, path, "user.mark", "x", 1, 0) == 0 || syscall(SYS_removexattr, path, "user.mark") == 0)
            BREACH("labels");
        if (chmod(path, 0777) == 0 || syscall(SYS_chown, path, getuid(), getgid()) == 0)
            BREACH("owners");
    }
}
