static void fills_the_disk(const float*, float*, int) {
    for (const char* path : {"/tmp/@MARK@-big", "big", "/dev/big", "/big"})
        if (const int fd = open(path, O_WRONLY | O_CREAT, 0666); fd >= 0 && ftruncate(fd, 1 << 20) == 0)
            BREACH(path);
}
