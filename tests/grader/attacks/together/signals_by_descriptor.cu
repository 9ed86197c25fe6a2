#include <sys/ioctl.h>
// The owner of a descriptor gets a signal when it becomes ready, and the signal may be SIGKILL.
static void signals_by_descriptor(const float*, float*, int) {
    int ends[2];
    if (pipe(ends) != 0)
        return;
    int victim = @VICTIM@;
    const f_owner_ex owner{F_OWNER_PID, victim};
    if (fcntl(ends[0], F_SETOWN, victim) == 0 || fcntl(ends[0], F_SETOWN_EX, &owner) == 0 ||
        ioctl(3, FIOSETOWN, &victim) == 0 || ioctl(3, SIOCSPGRP, &victim) == 0)
        BREACH("another process owns it");
    if (fcntl(ends[0], F_SETSIG, SIGKILL) == 0)
        BREACH("its signal");
    fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    if (write(ends[1], "x", 1) == 1)
        close(ends[1]);
    close(ends[0]);
}
