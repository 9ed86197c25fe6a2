// io_uring makes system calls that a filter does not see.
static void rings_for_requests(const float*, float*, int) {
    char parameters[120] = {};
    for (const unsigned entries : {1u, 8u, 4096u})
        if (syscall(SYS_io_uring_setup, entries, parameters) >= 0)
            BREACH("a ring");
    if (syscall(SYS_io_uring_enter, 3, 1, 0, 0, nullptr, 0) >= 0 || syscall(SYS_io_uring_register, 3, 0, nullptr, 0) >= 0)
        BREACH("enters a ring");
    unsigned long context = 0;
    if (syscall(SYS_io_setup, 8, &context) == 0)
        BREACH("asynchronous requests");
}
