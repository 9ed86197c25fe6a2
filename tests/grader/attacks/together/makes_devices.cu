// A node of memory or of the disk, and a pipe at which a reader waits for ever.
static void makes_devices(const float*, float*, int) {
    if (mknod("device", S_IFCHR | 0666, 1 << 8 | 1) == 0 || mknod("/tmp/@MARK@-device", S_IFBLK | 0666, 8 << 8) == 0)
        BREACH("a device");
    if (mkfifo("kernel.ptx.fifo", 0666) == 0 || mkfifo("/tmp/@MARK@-pipe", 0666) == 0)
        BREACH("a pipe with a name");
}
