// A name that blocks whoever opens it.
static void makes_pipes_with_names(const float*, float*, int) {
    for (const std::string folder : {"/tmp/", "/var/tmp/", "/dev/shm/", "@FOLDER@/", ""})
        for (const mode_t kind : {S_IFIFO, S_IFREG, S_IFSOCK})
            if (mknod((folder + "@MARK@-node").c_str(), kind | 0666, 0) == 0 || mkdir((folder + "@MARK@-folder").c_str(), 0777) == 0)
                BREACH("a file");
}
