static void calls_home(const float*, float*, int) {
    for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW}) {
        const int fd = socket(AF_INET, type, 0);
        sockaddr_in to{AF_INET, htons(@PORT@), {htonl(INADDR_LOOPBACK)}, {}};
        if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 && write(fd, "x", 1) == 1)
            BREACH("network");
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un to{AF_UNIX, "/run/docker.sock"};
    if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0)
        BREACH("docker");
    if (socket(AF_INET6, SOCK_STREAM, 0) >= 0 || socket(AF_NETLINK, SOCK_RAW, 0) >= 0)
        BREACH("a socket");
}
