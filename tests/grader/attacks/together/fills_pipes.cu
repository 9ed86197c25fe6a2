// Memory of the kernel's, which no limit of a process counts.
static void fills_pipes(const float*, float*, int) {
    int ends[100][2], made = 0;
    char block[4096] = {};
    for (; made < 100 && pipe(ends[made]) == 0; ++made) {
        if (fcntl(ends[made][1], F_SETPIPE_SZ, 1 << 26) > 0)
            BREACH("64 MiB of the kernel's memory");
        fcntl(ends[made][1], F_SETFL, O_NONBLOCK);
        for (int i = 0; i < 100000 && write(ends[made][1], block, sizeof block) > 0; ++i)
            if (i == 99999)
                BREACH("a pipe without end");
    }
    for (int i = 0; i < made; ++i)
        close(ends[i][0]), close(ends[i][1]);
}
