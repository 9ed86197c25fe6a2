static void starts_programs(const float*, float*, int) {
    if (std::system("touch /tmp/@MARK@") == 0)
        BREACH("system");
    if (FILE* pipe = popen("id", "r")) {
        BREACH("popen");
        pclose(pipe);
    }
    if (vfork() == 0)
        _exit(0);
}
