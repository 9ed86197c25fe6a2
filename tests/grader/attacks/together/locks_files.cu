// A lock that others wait for.
static void locks_files(const float*, float*, int) {
    for (const char* path : {"@PREY@", "@OTHER@", "@SECRETFILE@", "@TREE@/lab", "@FOLDER@"})
        if (const int fd = open(path, O_RDONLY); fd >= 0 && (syscall(SYS_flock, fd, 2 | 4) == 0))
            BREACH(path);
}
