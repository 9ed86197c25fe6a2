static void leaves_the_box(const float*, float*, int) {
    if (unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0)
        BREACH("unshare");
    if (mount("none", "/", "tmpfs", 0, nullptr) == 0 || umount2("/proc", MNT_DETACH) == 0 || chroot("/") == 0)
        BREACH("mount");
    if (open("/proc/1/root/etc/shadow", O_RDONLY) >= 0 || open("/etc/shadow", O_RDONLY) >= 0)
        BREACH("shadow");
}
