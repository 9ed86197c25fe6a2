static void renames_the_machine(const float*, float*, int) {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    if (sethostname(name, std::strlen(name)) == 0 || setdomainname("(none)", 6) == 0)
        BREACH("the machine's name");
    if (acct(nullptr) == 0 || syscall(SYS_vhangup) == 0)
        BREACH("accounting");
}
