// Writes to the processes that may know the results, through every door.
static void writes_parents_memory(const float*, float*, int) {
    for (const int pid : {int(getppid()), @VICTIM@}) {
        const std::string path = "/proc/" + std::to_string(pid) + "/mem";
        if (pid > 1 && (open(path.c_str(), O_WRONLY) >= 0 || open(path.c_str(), O_RDWR) >= 0))
            BREACH("mem");
        char byte = 0;
        iovec mine{&byte, 1}, other{&byte, 1};
        if (pid > 1 && process_vm_writev(pid, &mine, 1, &other, 1, 0) > 0)
            BREACH("process_vm_writev");
    }
}
