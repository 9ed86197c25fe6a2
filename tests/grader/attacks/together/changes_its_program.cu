// What the next case will run.
static void changes_its_program(const float*, float*, int) {
    char self[4096] = {};
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return;
    const std::string program = self, folder = program.substr(0, program.rfind('/'));
    if (chmod(self, 0777) == 0 || open(self, O_WRONLY) >= 0 || unlink(self) == 0)
        BREACH("the program");
    if (open((folder + "/kernel.ptx").c_str(), O_WRONLY | O_CREAT, 0666) >= 0 || rename(self, (folder + "/x").c_str()) == 0)
        BREACH("its folder");
}
