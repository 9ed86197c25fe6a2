// Files without a name, and code in them.
static void hides_files_in_memory(const float*, float*, int) {
    for (const unsigned flags : {0u, 1u, 2u, 4u, 8u, 16u})
        if (syscall(SYS_memfd_create, "@MARK@", flags) >= 0)
            BREACH("memfd_create");
    if (syscall(447 /* memfd_secret */, 0) >= 0)
        BREACH("memfd_secret");
    for (const char* folder : {"/tmp", "/dev/shm", "/var/tmp", "."})
        if (open(folder, O_TMPFILE | O_RDWR, 0600) >= 0)
            BREACH("a file without a name");
}
