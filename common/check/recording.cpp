#include "check/recording.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>

namespace check {
namespace {

// SipHash-2-4 (https://www.aumasson.jp/siphash/siphash.pdf): the salt is the key.
class Sip {
  public:
    explicit Sip(uint64_t key)
        : v_{key ^ 0x736f6d6570736575, ~key ^ 0x646f72616e646f6d, key ^ 0x6c7967656e657261, ~key ^ 0x7465646279746573} {
    }
    void add(uint64_t word) {
        v_[3] ^= word;
        rounds(2);
        v_[0] ^= word;
    }
    void add(std::span<const std::byte> bytes) {
        add(bytes.size());
        for (size_t i = 0; i < bytes.size(); i += 8) {
            uint64_t word = 0;
            for (size_t j = 0; j < std::min<size_t>(8, bytes.size() - i); ++j)
                word |= std::to_integer<uint64_t>(bytes[i + j]) << (8 * j);
            add(word);
        }
    }
    uint64_t end() {
        v_[2] ^= 0xff;
        rounds(4);
        return v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
    }

  private:
    void rounds(int count) {
        auto& [a, b, c, d] = v_;
        for (; count; --count) {
            a += b, b = std::rotl(b, 13) ^ a, a = std::rotl(a, 32);
            c += d, d = std::rotl(d, 16) ^ c;
            a += d, d = std::rotl(d, 21) ^ a;
            c += b, b = std::rotl(b, 17) ^ c, c = std::rotl(c, 32);
        }
    }
    std::array<uint64_t, 4> v_;
};

// PTX, or names in it, without what follows from where the file lay when it was compiled: .file lines, and the eight
// digits in the names of what only one file sees (_INTERNAL_9787a0bf_9_kernel_cu). No value depends on names.
std::string without_places(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    std::string kept;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string_view line = text.substr(begin, end - begin);
        begin = end;
        if (line.find_first_not_of(" \t") == line.find(".file"))
            continue;
        for (size_t i = 0; i < line.size(); ++i) {
            kept += line[i];
            if (line[i] == '_' && i + 9 < line.size() && line[i + 9] == '_' &&
                std::all_of(&line[i + 1], &line[i + 9], is_digit))
                i += 8;
        }
    }
    return kept;
}

} // namespace

void Recording::add(const sim::cuda::wire::Request& request) {
    bytes_ += sizeof(Request) + request.body.size() + request.payload.size();
    if (complete())
        requests_.push_back({request, {}});
}

void Recording::add_host_memory(std::span<const std::byte> contents) {
    bytes_ += sizeof contents + contents.size();
    if (complete() && !requests_.empty())
        requests_.back().host_memory.emplace_back(contents.begin(), contents.end());
}

uint64_t Recording::hash(uint64_t salt) const {
    // Twice: a single pass under a known key could be run backwards.
    return hash_once(hash_once(salt));
}

uint64_t Recording::hash_once(uint64_t key) const {
    Sip sip(key);
    for (const auto& [request, host_memory] : requests_) {
        using namespace sim::cuda;
        const Command command = request.header.command;
        const bool names = command == command_of<LoadModule> || command == command_of<FindKernel> ||
                           command == command_of<FindVariable>;
        const auto add = [&](std::span<const std::byte> bytes) {
            const std::string text = names ? without_places(bytes) : std::string();
            sip.add(names ? std::as_bytes(std::span(text)) : bytes);
        };
        sip.add(static_cast<uint64_t>(command));
        if (command != command_of<LoadModule>) // where the PTX lies and how long it is
            sip.add(request.body);
        add(request.payload);
        for (const auto& contents : host_memory)
            add(contents);
    }
    return sip.end();
}

} // namespace check
