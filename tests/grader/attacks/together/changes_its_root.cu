// Other roots, and roots of others.
static void changes_its_root(const float*, float*, int) {
    if (chroot("/tmp") == 0 || chroot("@FOLDER@") == 0)
        BREACH("chroot");
    if (syscall(SYS_pivot_root, "/tmp", "/tmp") == 0)
        BREACH("pivot_root");
    const int root = open("/", O_PATH);
    if (root >= 0 && fchdir(root) == 0 && open("..@SECRETFILE@", O_RDONLY) >= 0)
        BREACH("the secret by a relative path");
    close(root);
}
