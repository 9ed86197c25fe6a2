// No bytes, but names without end.
static void exhausts_inodes(const float*, float*, int) {
    for (const char* folder : {"/tmp", "/var/tmp", "/dev/shm", "/run", "/dev", "."})
        for (int i = 0; i < 1000; ++i)
            if (mkdir((std::string(folder) + "/@MARK@-" + std::to_string(i)).c_str(), 0777) == 0) {
                BREACH(folder);
                break;
            }
}
