// What stays in the kernel when a process is gone.
static void leaves_messages(const float*, float*, int) {
    if (syscall(SYS_msgget, 4711, 01666) >= 0)
        BREACH("a queue of System V");
    if (syscall(SYS_semget, 4711, 1, 01666) >= 0)
        BREACH("a semaphore");
    if (syscall(SYS_mq_open, "@MARK@", O_RDWR | O_CREAT, 0666, nullptr) >= 0)
        BREACH("a queue of POSIX");
    if (syscall(SYS_add_key, "keyring", "@MARK@", nullptr, 0, -4) >= 0)
        BREACH("a key ring");
}
