// @PREY@ is a file that everybody may write; the test looks at it afterwards.
static void destroys_files(const float*, float*, int) {
    if (truncate("@PREY@", 0) == 0 || open("@PREY@", O_WRONLY | O_TRUNC) >= 0)
        BREACH("truncate");
    if (unlink("@PREY@") == 0 || rename("@PREY@", "@PREY@.gone") == 0)
        BREACH("unlink");
    if (symlink("@PREY@", "kernel.cu") == 0 || link("@PREY@", "kernel.ptx") == 0)
        BREACH("link");
    if (chmod("@PREY@", 0) == 0)
        BREACH("chmod");
}
