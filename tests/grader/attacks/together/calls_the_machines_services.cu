// Sockets of services that run as root.
static void calls_the_machines_services(const float*, float*, int) {
    for (const char* path : {"/run/dbus/system_bus_socket", "/run/docker.sock", "/run/systemd/private", "/run/containerd/containerd.sock",
                             "/run/systemd/journal/socket", "/dev/log", "/tmp/.X11-unix/X0", "/run/udev/control"}) {
        sockaddr_un where = {AF_UNIX, {}};
        std::strncpy(where.sun_path, path, sizeof where.sun_path - 1);
        for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET})
            if (const int fd = socket(AF_UNIX, type, 0); fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0)
                BREACH(path);
    }
}
