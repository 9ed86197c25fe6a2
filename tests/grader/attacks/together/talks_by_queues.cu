// Queues, semaphores and segments that stay when the process has ended.
static void talks_by_queues(const float*, float*, int) {
    if (syscall(SYS_mq_open, "@MARK@", O_CREAT | O_RDWR, 0666, nullptr) >= 0)
        BREACH("a message queue");
    for (int key = 1; key < 64; key *= 2)
        if (syscall(SYS_msgget, key, 01666) >= 0 || syscall(SYS_semget, key, 1, 01666) >= 0 || syscall(SYS_shmget, key, 4096, 01666) >= 0)
            BREACH("System V");
}
