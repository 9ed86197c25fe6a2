// The test has the process @VICTIM@ and looks whether it still lives.
static void kills_others(const float*, float*, int) {
    std::signal(SIGTERM, SIG_IGN);
    kill(-1, SIGTERM);
    kill(@VICTIM@, SIGKILL);
    if (getppid() > 1)
        kill(getppid(), SIGKILL);
    syscall(SYS_tkill, @VICTIM@, SIGKILL);
    sigval value{};
    sigqueue(@VICTIM@, SIGKILL, value);
    std::signal(SIGTERM, SIG_DFL);
}
