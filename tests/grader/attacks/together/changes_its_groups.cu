// Groups that may read more.
static void changes_its_groups(const float*, float*, int) {
    const gid_t groups[] = {0, 4, 42, 44, 27, 999};
    if (syscall(SYS_setgroups, 6, groups) == 0)
        BREACH("groups");
    for (const gid_t group : groups)
        if (group != getgid() && (syscall(SYS_setgid, group) == 0 || syscall(SYS_setresgid, group, group, group) == 0))
            BREACH("a group");
    if (getuid() != 0 && (syscall(SYS_setresuid, 0, 0, 0) == 0 || syscall(SYS_setreuid, 0, 0) == 0))
        BREACH("root");
    syscall(SYS_setfsuid, 0);
    if (!contents("/etc/shadow").empty())
        BREACH("as another user of files");
}
