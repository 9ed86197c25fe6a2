static void reads_parents_memory(const float*, float*, int) {
    const std::string folder = "/proc/" + std::to_string(getppid());
    for (const char* file : {"/mem", "/maps"})
        if (getppid() > 1 && !contents((folder + file).c_str()).empty())
            BREACH(file);
    if (DIR* descriptors = opendir((folder + "/fd").c_str())) {
        if (getppid() > 1)
            BREACH("its descriptors");
        closedir(descriptors);
    }
    char byte;
    iovec mine{&byte, 1}, other{&byte, 1};
    if (process_vm_readv(@VICTIM@, &mine, 1, &other, 1, 0) > 0 || process_vm_writev(@VICTIM@, &mine, 1, &other, 1, 0) > 0)
        BREACH("process_vm");
    if (ptrace(PTRACE_ATTACH, @VICTIM@, 0, 0) == 0 || ptrace(PTRACE_SEIZE, getppid(), 0, 0) == 0)
        BREACH("ptrace");
}
