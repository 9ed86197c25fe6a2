static void calls_as_x32(const float* in, float* out, int n) {
    constexpr long x32 = 0x40000000;
    if (syscall(x32 | SYS_kill, @VICTIM@, SIGKILL) == 0)
        BREACH("kill");
    if (syscall(x32 | SYS_socket, AF_INET, SOCK_STREAM, 0) >= 0)
        BREACH("socket");
}
