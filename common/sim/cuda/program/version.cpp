// The version of a drop-in library.
extern "C" int asynclab_cudart_version() {
    return VERSION;
}
