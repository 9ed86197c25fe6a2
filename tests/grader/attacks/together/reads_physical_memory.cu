static void reads_physical_memory(const float*, float*, int) {
    for (const char* path : {"/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/dev/crash"})
        if (open(path, O_RDONLY) >= 0)
            BREACH(path);
}
