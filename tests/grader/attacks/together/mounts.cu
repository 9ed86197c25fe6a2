// Other file systems, in the old way.
static void mounts(const float*, float*, int) {
    for (const char* kind : {"tmpfs", "proc", "sysfs", "overlay", "fuse", "cgroup2", "bpf", "debugfs"})
        if (mount("none", "/tmp", kind, 0, nullptr) == 0)
            BREACH(kind);
    if (mount("@FOLDER@", "/tmp", nullptr, MS_BIND, nullptr) == 0 || mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0)
        BREACH("a bind mount");
    if (umount2("/tmp", MNT_DETACH) == 0 || umount2("/proc", MNT_DETACH) == 0)
        BREACH("umount");
}
