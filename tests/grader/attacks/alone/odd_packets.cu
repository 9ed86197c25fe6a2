// Sends the checker, which awaits a reply, empty packets, half a reply, more than a reply, and many descriptors.
static void odd_packets(const float*, float*, int) {
    char block[60000] = {};
    for (int i = 0; i < 200; ++i) {
        alignas(cmsghdr) char control[CMSG_SPACE(200 * sizeof(int))] = {};
        iovec part{block, static_cast<size_t>(i)};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(200 * sizeof(int));
        for (int fd = 0; fd < 200; ++fd)
            std::memcpy(CMSG_DATA(header) + fd * sizeof(int), "\1\0\0", sizeof(int));
        sendmsg(i % 2 ? 4 : 3, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    send(4, block, 0, MSG_NOSIGNAL);
    send(4, block, sizeof block, MSG_NOSIGNAL);
    shutdown(3, SHUT_WR);
    pause();
}
