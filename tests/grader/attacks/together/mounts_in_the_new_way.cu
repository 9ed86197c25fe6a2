static void mounts_in_the_new_way(const float*, float*, int) {
    if (syscall(SYS_open_tree, AT_FDCWD, "/", 1u) >= 0 || syscall(SYS_fsopen, "tmpfs", 0) >= 0 || syscall(SYS_fspick, AT_FDCWD, "/", 0) >= 0)
        BREACH("a mount that can be changed");
    if (syscall(SYS_move_mount, AT_FDCWD, "/proc", AT_FDCWD, "/tmp", 0) == 0 || syscall(SYS_pivot_root, "/", "/") == 0)
        BREACH("moved");
    if (syscall(SYS_mount, nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0 || syscall(SYS_mount, "@FOLDER@", "/proc", nullptr, MS_BIND, nullptr) == 0)
        BREACH("bound");
}
