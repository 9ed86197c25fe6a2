// The process behind the device's socket.
static void asks_who_is_at_the_other_end(const float*, float*, int) {
    for (int fd = 3; fd < 16; ++fd) {
        ucred peer = {};
        socklen_t size = sizeof peer;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
            continue;
        if (peer.pid > 1 && peer.pid != getpid() && (kill(peer.pid, 0) == 0 || ptrace(PTRACE_SEIZE, peer.pid, 0, 0) == 0))
            BREACH("signals, traces");
        int process = -1;
        size = sizeof process;
        if (getsockopt(fd, SOL_SOCKET, 77 /* SO_PEERPIDFD */, &process, &size) == 0 && process >= 0) {
            if (syscall(SYS_pidfd_send_signal, process, 0, nullptr, 0) == 0 || syscall(438 /* pidfd_getfd */, process, 0, 0) >= 0)
                BREACH("a process");
            close(process);
        }
    }
}
