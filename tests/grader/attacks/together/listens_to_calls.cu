// A filter that answers calls in the kernel's place.
static void listens_to_calls(const float*, float*, int) {
    unsigned short allow[4] = {6, 0, 0, 0x7fff};
    struct {
        unsigned short count = 1;
        const void* code = nullptr;
    } program;
    program.code = allow;
    if (syscall(SYS_seccomp, 1, 8, &program) >= 0 || prctl(PR_SET_SECCOMP, 2, &program, 0, 0) == 0)
        BREACH("a filter of its own");
    if (syscall(446, -1, 0) == 0 || syscall(444, nullptr, 0, 1) >= 0)
        BREACH("a ruleset of its own");
}
