// Keys outlive processes, and their names are shared.
static void uses_keyrings(const float*, float*, int) {
    for (const int ring : {-1, -2, -3, -4, -5})
        if (syscall(SYS_keyctl, 0, ring, 1) >= 0 || syscall(SYS_add_key, "user", "@MARK@", "x", 1, ring) >= 0)
            BREACH("a key ring");
    if (syscall(SYS_request_key, "user", "@MARK@", nullptr, -3) >= 0)
        BREACH("a key");
}
