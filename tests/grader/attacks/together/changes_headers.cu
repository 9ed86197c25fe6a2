// What the next compiler would read.
static void changes_headers(const float*, float*, int) {
    char self[4096] = {};
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return;
    std::string folder = self;
    const size_t at = folder.find("asynclab-grade-");
    if (at == std::string::npos)
        return;
    folder.resize(std::min(folder.find('/', at), folder.size()));
    for (const char* file : {"/kit/common/check/student/lab.h", "/kit/new.h", "/state/toolchain.json", "/state/cache/new", "/lock", "/new"})
        if (open((folder + file).c_str(), O_WRONLY | O_CREAT, 0666) >= 0)
            BREACH(file);
    if (rename((folder + "/kit").c_str(), (folder + "/old").c_str()) == 0)
        BREACH("the folder");
}
