// Programs for the kernel: bpf, and sockets that take filters.
static void loads_filters_into_the_kernel(const float*, float*, int) {
    char attributes[128] = {};
    for (int command = 0; command < 38; ++command)
        if (syscall(SYS_bpf, command, attributes, sizeof attributes) >= 0)
            BREACH("bpf");
    for (const int type : {SOCK_RAW, SOCK_DGRAM})
        if (socket(AF_PACKET, type, 0) >= 0)
            BREACH("packets");
}
