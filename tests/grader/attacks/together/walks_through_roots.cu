// Paths that lead through other processes.
static void walks_through_roots(const float*, float*, int) {
    for (const std::string pid : {std::to_string(getppid()), std::string("@VICTIM@"), std::string("1"), std::string("thread-self/../..")})
        for (const char* way : {"/root@TREE@/solutions/01_synchronous_staging/kernel.cu", "/cwd/secret.txt", "/root@SECRETFILE@", "/task/../root@SECRETFILE@"})
            if (!contents(("/proc/" + pid + way).c_str()).empty())
                BREACH(way);
}
