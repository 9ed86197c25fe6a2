// Names for files of others, in places that others read.
static void makes_links(const float*, float*, int) {
    for (const std::string folder : {"/tmp/", "/var/tmp/", "/dev/shm/", "@FOLDER@/", ""})
        for (const char* target : {"@SECRETFILE@", "@OTHER@", "/etc/passwd"}) {
            if (symlink(target, (folder + "@MARK@-soft").c_str()) == 0)
                BREACH("a symbolic link");
            if (link(target, (folder + "@MARK@-hard").c_str()) == 0)
                BREACH("a link");
            if (rename(target, (folder + "@MARK@-moved").c_str()) == 0)
                BREACH("a rename");
        }
}
