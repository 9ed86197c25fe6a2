static void ignores_signals(const float* in, float* out, int n) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    for (int signal = 1; signal < 65; ++signal)
        std::signal(signal, SIG_IGN);
    for (;;)
        pause();
}
