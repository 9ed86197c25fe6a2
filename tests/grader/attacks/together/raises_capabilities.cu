// Rights that it had, or that others have.
static void raises_capabilities(const float*, float*, int) {
    unsigned head[2] = {0x20080522, 0}, all[6] = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
    if (syscall(SYS_capset, head, all) == 0)
        BREACH("capset");
    for (int capability = 0; capability < 41; ++capability)
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0)
            BREACH("an ambient capability");
    if (prctl(PR_SET_SECUREBITS, 0) == 0)
        BREACH("secure bits");
    if (prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0)
        BREACH("new privileges");
}
