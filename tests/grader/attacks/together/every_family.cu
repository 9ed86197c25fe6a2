// Whatever the kernel can talk to: packets, keys, ciphers, virtual machines.
static void every_family(const float*, float*, int) {
    for (const int family : {AF_UNIX, AF_INET6, AF_NETLINK, AF_PACKET, AF_KEY, AF_ALG, AF_VSOCK, AF_BLUETOOTH, AF_CAN, AF_TIPC, AF_XDP})
        for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET})
            if (socket(family, type, 0) >= 0)
                BREACH("a socket");
    if (int ends[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
        BREACH("a pair of sockets");
}
