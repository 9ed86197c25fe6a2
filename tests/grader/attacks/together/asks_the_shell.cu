// Programs by way of the C library.
static void asks_the_shell(const float*, float*, int) {
    if (std::system("touch /tmp/@MARK@-shell") == 0)
        BREACH("system");
    if (FILE* pipe = popen("id", "r")) {
        char word[8];
        if (std::fread(word, 1, sizeof word, pipe) > 0)
            BREACH("popen");
        pclose(pipe);
    }
}
