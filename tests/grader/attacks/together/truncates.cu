// The contents of files, without opening them for writing.
static void truncates(const float*, float*, int) {
    for (const char* path : {"@PREY@", "@OTHER@", "@SECRETFILE@", "@TREE@/lab"}) {
        if (truncate(path, 0) == 0)
            BREACH("truncate");
        if (open(path, O_RDONLY | O_TRUNC) >= 0)
            BREACH("O_TRUNC");
        if (unlink(path) == 0)
            BREACH("unlink");
    }
}
