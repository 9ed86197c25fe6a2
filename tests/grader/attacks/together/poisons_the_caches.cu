// Results of compilations that others reuse.
static void poisons_the_caches(const float*, float*, int) {
    for (const char* path : {"@TREE@/build/@MARK@", "@TREE@/.asynclab/cache/@MARK@", "/root/.cache/asynclab/@MARK@", "/root/.cache/ccache/@MARK@", "/tmp/asynclab/@MARK@"})
        if (open(path, O_WRONLY | O_CREAT, 0666) >= 0)
            BREACH(path);
    if (DIR* folder = opendir("@TREE@/build")) {
        closedir(folder);
        BREACH("looks into the build");
    }
}
