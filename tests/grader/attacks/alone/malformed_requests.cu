#include <random>
// Numbers that no program would send, on the device's socket: sizes of 2^63, handles of nothing, every command.
static void malformed_requests(const float*, float*, int) {
    struct Header {
        unsigned command, body, payload;
    };
    std::mt19937_64 random(1);
    const unsigned long odd[] = {0, 1, 2, 3, 4, 7, 255, 4096, 1ul << 20, 1ul << 31, (1ul << 32) - 1, 1ul << 40, 1ul << 63, ~0ul,
                                 0x100000000000, 0x180000000000, 0x17fffffffff0, 0x183ffffff000, 0x7ffffffff000};
    unsigned long body[32];
    char rest[65536];
    for (int i = 0; i < 20000; ++i) {
        for (auto& word : body)
            word = odd[random() % std::size(odd)];
        const Header header{static_cast<unsigned>(random() % 28), static_cast<unsigned>(random() % 20 * 4), static_cast<unsigned>(random() % 8 ? 0 : random() % 64)};
        std::memcpy(rest, &header, sizeof header);
        std::memcpy(rest + sizeof header, body, sizeof body);
        if (send(3, rest, sizeof header + header.body + header.payload, MSG_NOSIGNAL) < 0)
            break;
        while (recv(3, rest, sizeof rest, MSG_DONTWAIT) > 0) {
        }
    }
    const Header boundless{3, ~0u, ~0u};
    send(3, &boundless, sizeof boundless, MSG_NOSIGNAL);
}
