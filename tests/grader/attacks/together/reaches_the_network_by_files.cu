// The network without a socket.
static void reaches_the_network_by_files(const float*, float*, int) {
    for (const char* path : {"/dev/tcp/127.0.0.1/@PORT@", "/dev/net/tun", "/proc/net/tcp", "/dev/vsock", "/dev/ppp", "/proc/@VICTIM@/net/tcp"})
        if (const int fd = open(path, O_RDWR); fd >= 0)
            BREACH(path);
}
