static void wants_to_be_root(const float*, float*, int) {
    const uid_t before = getuid();
    if (before == 0 || setuid(0) == 0 || setresuid(0, 0, 0) == 0 || setgid(0) == 0)
        BREACH("root");
    if (prctl(PR_CAPBSET_READ, 21) != 1 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        BREACH("new privileges");
}
