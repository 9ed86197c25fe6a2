// Bytes that are no text, and a line of a megabyte.
static void prints_no_text(const float* in, float* out, int n) {
    for (int i = 0; i < 3000; ++i)
        std::fwrite("\xff\xfe\0\xc0\x80\xed\xa0\x80\x1b[2J\x9b\u202e", 1, 16, stdout);
    std::string line(1 << 20, 'x');
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fwrite(line.data(), 1, line.size(), stderr);
}
