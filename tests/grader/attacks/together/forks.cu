static void forks(const float*, float*, int) {
    for (int i = 0; i < 100; ++i) {
        const pid_t child = fork();
        if (child == 0)
            for (;;)
                fork(), pause();
        if (child > 0)
            BREACH("a process");
    }
}
