// The version that a drop-in library stands for.
extern "C" int asynclab_cudart_version() {
    return VERSION;
}
