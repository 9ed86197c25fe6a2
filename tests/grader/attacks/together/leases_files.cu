// Other processes that open the file then wait for this one.
static void leases_files(const float*, float*, int) {
    for (const char* path : {"@PREY@", "@OTHER@", "/proc/self/exe"}) {
        const int fd = open(path, O_RDONLY);
        if (fd >= 0 && (fcntl(fd, F_SETLEASE, F_RDLCK) == 0 || fcntl(fd, F_SETLEASE, F_WRLCK) == 0))
            BREACH(path);
        if (fd >= 0 && syscall(SYS_flock, fd, 2 | 4) == 0)
            BREACH("a lock");
    }
}
