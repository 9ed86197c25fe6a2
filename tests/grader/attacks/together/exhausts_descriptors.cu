static void exhausts_descriptors(const float*, float*, int) {
    int count = 0, last = -1;
    for (int fd; count < 200000 && (fd = dup(1)) >= 0; ++count)
        last = fd;
    if (count >= 200000)
        BREACH("descriptors");
    if (last >= 0)
        syscall(SYS_close_range, last - count + 1 > 4 ? last - count + 1 : 5, last, 0);
}
