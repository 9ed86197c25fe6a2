static void installs_libraries(const float*, float*, int) {
    for (const char* path : {"/etc/ld.so.preload", "/etc/ld.so.cache", "/usr/lib/@MARK@.so", "/lib/x86_64-linux-gnu/@MARK@.so", "/usr/local/lib/@MARK@.so", "./libcudart.so.13"})
        if (open(path, O_WRONLY | O_CREAT, 0666) >= 0)
            BREACH(path);
}
