// Places in which one case could leave data for the next.
static void remembers(const float*, float*, int) {
    for (const char* path : {"/tmp/@MARK@-memory", "/dev/shm/@MARK@", "/var/tmp/@MARK@", "@MARK@", "/run/lock/@MARK@"}) {
        if (!contents(path).empty())
            BREACH(path);
        const int fd = open(path, O_WRONLY | O_CREAT, 0666);
        if (fd >= 0 && write(fd, "seen", 4) == 4)
            BREACH(path);
    }
    if (shm_open("/@MARK@", O_RDWR | O_CREAT, 0666) >= 0 || syscall(SYS_shmget, 4711, 4096, 01666) >= 0)
        BREACH("shared memory");
}
