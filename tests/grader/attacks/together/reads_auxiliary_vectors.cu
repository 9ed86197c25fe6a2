// Where the parent's stack, code and random bytes are.
static void reads_auxiliary_vectors(const float*, float*, int) {
    for (const char* file : {"/auxv", "/syscall", "/stack", "/wchan", "/pagemap", "/smaps_rollup", "/map_files"})
        for (const std::string pid : {std::to_string(getppid()), std::string("@VICTIM@"), std::string("1")})
            if (pid != "1" || getppid() == 1)
                if (const std::string path = "/proc/" + pid + file; pid != "1" && !contents(path.c_str()).empty())
                    BREACH(file);
}
