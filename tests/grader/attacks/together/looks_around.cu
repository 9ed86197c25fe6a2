// The folders of other submissions that are being graded at this moment; its own has the name of its program in it.
static void looks_around(const float*, float*, int) {
    char self[4096] = {};
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return;
    for (const char* path : {"/tmp", "/root", "/home", "/var/tmp", "..", "../..", "../../.."})
        if (DIR* folder = opendir(path)) {
            while (const dirent* entry = readdir(folder))
                if (std::strncmp(entry->d_name, "asynclab-grade-", 15) == 0 && !std::strstr(self, entry->d_name))
                    BREACH(entry->d_name);
            closedir(folder);
        }
}
