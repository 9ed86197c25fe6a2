// The kernel signals the owner of a descriptor.
static void owns_descriptors_for_others(const float*, float*, int) {
    int ends[2];
    if (pipe(ends) != 0)
        return;
    for (const int pid : {@VICTIM@, int(getppid())}) {
        fcntl(ends[0], F_SETOWN, pid);
        fcntl(ends[0], F_SETSIG, SIGKILL);
        fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
        (void)!write(ends[1], "x", 1); // the test looks whether the victim is alive
    }
    close(ends[0]);
    close(ends[1]);
}
