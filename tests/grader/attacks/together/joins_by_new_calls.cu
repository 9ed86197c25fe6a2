// Processes made by the newer calls.
static void joins_by_new_calls(const float*, float*, int) {
    unsigned long arguments[11] = {};
    for (const unsigned long flags : {0ul, 0x10000000ul, 0x20000000ul, 0x40000000ul, 0x200000000ul}) {
        arguments[0] = flags;
        arguments[4] = SIGCHLD;
        if (const long child = syscall(SYS_clone3, arguments, sizeof arguments); child == 0)
            _exit(0);
        else if (child > 0)
            BREACH("clone3");
    }
    if (const long child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0); child == 0)
        _exit(0);
    else if (child > 0)
        BREACH("clone");
    if (const long child = syscall(SYS_fork); child == 0)
        _exit(0);
    else if (child > 0)
        BREACH("fork");
}
