static void another_program(const float*, float*, int) {
    execl("/bin/sh", "sh", "-c", "echo BREACH shell; exit 0", nullptr);
    execl("/usr/bin/true", "true", nullptr);
}
