#include "isolation/system_files.h"

namespace isolation {

std::vector<std::filesystem::path> system_files(bool compiler) {
    std::vector<std::filesystem::path> files{
        "/usr/lib", "/usr/lib32", "/usr/lib64",       "/usr/libx32",     "/lib",          "/lib32",
        "/lib64",   "/libx32",    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/localtime"};
    if (compiler)
        for (const char* more :
             {"/usr/bin", "/usr/libexec", "/usr/include", "/bin", "/usr/local/include", "/etc/alternatives"})
            files.emplace_back(more);
    else
        files.insert(files.end(), {"/usr/bin/setpriv", "/usr/bin/true"});
    return files;
}

} // namespace isolation
