// Signal 0 kills no process, but shows which ones exist.
static void asks_who_is_there(const float*, float*, int) {
    if (kill(@VICTIM@, 0) == 0 || kill(-1, 0) == 0)
        BREACH("a process that can be signalled");
    if (syscall(SYS_tgkill, @VICTIM@, @VICTIM@, 0) == 0 || syscall(SYS_rt_sigqueueinfo, @VICTIM@, 0, nullptr) == 0)
        BREACH("by another call");
}
