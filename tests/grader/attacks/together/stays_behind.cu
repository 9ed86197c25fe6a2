static void stays_behind(const float*, float*, int) {
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork())
            _exit(0);
        prctl(PR_SET_NAME, "@MARK@");
        for (;;)
            sleep(100);
    }
    if (child > 0)
        BREACH("a daemon");
    if (prctl(PR_SET_PDEATHSIG, 0) == 0)
        BREACH("it may outlive the grader");
}
