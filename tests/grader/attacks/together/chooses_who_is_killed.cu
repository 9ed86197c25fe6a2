// When memory is short, another process is to go.
static void chooses_who_is_killed(const float*, float*, int) {
    for (const char* path : {"/proc/@VICTIM@/oom_score_adj", "/proc/@VICTIM@/oom_adj", "/proc/self/oom_score_adj"}) {
        const int fd = open(path, O_WRONLY);
        if (fd >= 0 && write(fd, "-900", 4) == 4)
            BREACH(path);
    }
}
