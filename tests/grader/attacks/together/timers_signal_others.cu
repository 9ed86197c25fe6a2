static void timers_signal_others(const float*, float*, int) {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGKILL;
    event._sigev_un._tid = @VICTIM@;
    int timer = 0;
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
        BREACH("another's timer");
    for (int i = 0; i < 100000; ++i) { // as many as the kernel gives
        event.sigev_notify = SIGEV_NONE;
        if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0)
            break;
        if (i == 99999)
            BREACH("100000 timers");
    }
}
