// What two processes share, and where another keeps its memory.
static void measures_others(const float*, float*, int) {
    if (syscall(SYS_kcmp, getpid(), @VICTIM@, 0, 0, 0) >= 0)
        BREACH("kcmp");
    if (syscall(SYS_move_pages, @VICTIM@, 0, nullptr, nullptr, nullptr, 0) == 0 || syscall(SYS_migrate_pages, @VICTIM@, 0, nullptr, nullptr) >= 0)
        BREACH("pages");
    void* head = nullptr;
    size_t size = 0;
    if (syscall(SYS_get_robust_list, @VICTIM@, &head, &size) == 0 && getuid() != 0)
        BREACH("the address of its locks");
    if (syscall(SYS_process_madvise, 0, nullptr, 0, 0, 0) >= 0 || syscall(SYS_process_mrelease, 0, 0) >= 0)
        BREACH("its memory");
}
