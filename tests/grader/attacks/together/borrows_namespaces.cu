// The namespaces of others.
static void borrows_namespaces(const float*, float*, int) {
    for (const std::string pid : {std::to_string(getppid()), std::string("@VICTIM@"), std::string("1")})
        for (const char* kind : {"mnt", "net", "pid", "user", "uts", "ipc", "cgroup", "time"})
            if (const int name = open(("/proc/" + pid + "/ns/" + kind).c_str(), O_RDONLY); name >= 0 && setns(name, 0) == 0)
                BREACH(kind);
    for (const int flag : {0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x00000080})
        if (unshare(flag) == 0)
            BREACH("unshare");
}
