static void closes_sockets(const float*, float*, int) {
    close(3);
    close(4);
}
