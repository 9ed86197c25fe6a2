#include <dlfcn.h>
// The library that answers for the device.
static void changes_the_runtime(const float*, float*, int) {
    Dl_info found{};
    if (!dladdr(reinterpret_cast<void*>(&cudaGetLastError), &found) || !found.dli_fname)
        return;
    if (open(found.dli_fname, O_WRONLY) >= 0 || truncate(found.dli_fname, 0) == 0 || unlink(found.dli_fname) == 0)
        BREACH("the library");
    if (rename(found.dli_fname, (std::string(found.dli_fname) + ".old").c_str()) == 0 || symlink("/dev/null", (std::string(found.dli_fname) + ".1").c_str()) == 0)
        BREACH("its name");
}
