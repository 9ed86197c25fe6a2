// Obsolete system calls, which filters easily forget.
static void forgotten_calls(const float*, float*, int) {
    char path[64] = {};
    for (const long call : {SYS_uselib, SYS__sysctl, SYS_ustat, SYS_sysfs, SYS_nfsservctl, SYS_vserver, SYS_security, SYS_tuxcall, SYS_afs_syscall, SYS_getpmsg})
        if (syscall(call, 3, path, path) >= 0)
            BREACH("a forgotten call");
    if (syscall(SYS_quotactl, 0, nullptr, 0, nullptr) >= 0 || syscall(SYS_lookup_dcookie, 0, path, sizeof path) >= 0)
        BREACH("quotas, cookies");
}
