// Files by number: no path, so no rule about paths.
static void opens_by_handle(const float*, float*, int) {
    alignas(file_handle) char space[sizeof(file_handle) + MAX_HANDLE_SZ] = {};
    auto* handle = reinterpret_cast<file_handle*>(space);
    handle->handle_bytes = MAX_HANDLE_SZ;
    int mount = 0;
    if (name_to_handle_at(AT_FDCWD, "@SECRETFILE@", handle, &mount, 0) == 0)
        BREACH("a handle");
    handle->handle_bytes = 8;
    handle->handle_type = 1;
    handle->f_handle[0] = 2; // the root of a file system
    if (open_by_handle_at(AT_FDCWD, handle, O_RDONLY) >= 0)
        BREACH("a file by its inode");
}
