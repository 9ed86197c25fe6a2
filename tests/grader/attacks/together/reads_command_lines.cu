// Seeds on a command line would be for all to read.
static void reads_command_lines(const float*, float*, int) {
    if (!contents("/proc/@VICTIM@/cmdline").empty() || !contents("/proc/@VICTIM@/comm").empty())
        BREACH("another's");
    if (getppid() > 1 && !contents(("/proc/" + std::to_string(getppid()) + "/cmdline").c_str()).empty())
        BREACH("the parent's");
}
