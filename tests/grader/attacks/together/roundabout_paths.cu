// The same file by other names.
static void roundabout_paths(const float*, float*, int) {
    for (const char* path : {"/proc/self/root@SECRETFILE@", "/proc/thread-self/root@SECRETFILE@", "/proc/self/cwd/../../../../../..@SECRETFILE@",
                             "/proc/self/task/../root@SECRETFILE@", "//@SECRETFILE@", "/usr/lib/../..@SECRETFILE@", "/dev/null/..@SECRETFILE@",
                             "/lib64/../@SECRETFILE@", "/proc/self/exe/..@SECRETFILE@"})
        if (!contents(path).empty())
            BREACH(path);
    const int fd = open("@SECRETFILE@", O_PATH);
    if (fd >= 0 && !contents(("/proc/self/fd/" + std::to_string(fd)).c_str()).empty())
        BREACH("a path that is opened again");
    const int folder = open("/", O_PATH | O_DIRECTORY);
    if (folder >= 0 && openat(folder, &"@SECRETFILE@"[1], O_RDONLY) >= 0)
        BREACH("relative to a folder");
}
