// Every file that anybody opens.
static void watches_the_whole_machine(const float*, float*, int) {
    for (const unsigned flags : {0u, 4u, 8u, 0x200u})
        if (syscall(SYS_fanotify_init, flags, O_RDONLY) >= 0)
            BREACH("fanotify");
    if (const int watch = syscall(SYS_inotify_init1, 0); watch >= 0 && syscall(SYS_inotify_add_watch, watch, "@FOLDER@", 0xfff) >= 0)
        BREACH("inotify");
}
