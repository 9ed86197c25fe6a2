// A program that was never a file.
static void starts_from_memory(const float*, float*, int) {
    if (syscall(SYS_execveat, -1, "", nullptr, nullptr, AT_EMPTY_PATH) < 0 && errno != EPERM)
        BREACH("execveat");
    if (syscall(SYS_memfd_secret, 0) >= 0)
        BREACH("secret memory");
    if (open("/tmp", O_TMPFILE | O_RDWR, 0700) >= 0 || open(".", O_TMPFILE | O_RDWR, 0700) >= 0)
        BREACH("a file without a name");
}
