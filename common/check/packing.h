// How messages are packed: one member after the other, numbers as 8 bytes, lists with their length in front.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "check/message.h"
#include "sim/machine/statistics.h"

namespace check::message {

inline constexpr size_t most_name = size_t{1} << 16;

class Writer {
  public:
    template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T> Writer& operator<<(T value) {
        return put(static_cast<uint64_t>(value));
    }
    Writer& operator<<(std::string_view text) { return *this << std::as_bytes(std::span(text)); }
    Writer& operator<<(std::span<const std::byte> block) {
        put(block.size());
        bytes_.insert(bytes_.end(), block.begin(), block.end());
        return *this;
    }
    Writer& operator<<(const sim::machine::Dim3& size) { return *this << size.x << size.y << size.z; }
    Writer& operator<<(const sim::machine::Statistics& counted) {
        static_assert(std::is_trivially_copyable_v<sim::machine::Statistics>);
        return *this << std::as_bytes(std::span(&counted, 1));
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    Writer& put(uint64_t value) {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        return *this;
    }
    std::vector<std::byte> bytes_;
};

class Reader {
  public:
    explicit Reader(std::span<const std::byte> packed) : rest_(packed) {}

    template <class T>
    requires std::is_unsigned_v<T> Reader& operator>>(T& value) {
        const uint64_t got = number();
        value = static_cast<T>(got);
        return value == got ? *this : malformed();
    }
    /// Of an enumeration whose last value is `last`.
    template <class T>
    requires std::is_enum_v<T>
    void read(T& value, T last) {
        const uint64_t got = number();
        if (got > static_cast<uint64_t>(last))
            malformed();
        value = static_cast<T>(got);
    }
    Reader& operator>>(std::string& text) {
        const auto got = block(most_name);
        text.assign(reinterpret_cast<const char*>(got.data()), got.size());
        return *this;
    }
    Reader& operator>>(std::vector<std::byte>& bytes) {
        const auto got = block(rest_.size());
        bytes.assign(got.begin(), got.end());
        return *this;
    }
    Reader& operator>>(sim::machine::Dim3& size) { return *this >> size.x >> size.y >> size.z; }
    template <class T> // numbers, of which any is one
    requires(std::is_class_v<T>&& std::is_trivially_copyable_v<T>) Reader& operator>>(T& counted) {
        const auto got = block(sizeof counted);
        if (got.size() != sizeof counted)
            malformed();
        std::memcpy(static_cast<void*>(&counted), got.data(), sizeof counted);
        return *this;
    }
    /// The length of a list whose elements take at least `bytes` each.
    size_t length(size_t bytes) {
        const uint64_t count = number();
        if (count > rest_.size() / bytes)
            malformed();
        return count;
    }
    void end() {
        if (!rest_.empty())
            malformed();
    }

  private:
    [[noreturn]] static Reader& malformed() { throw Malformed{}; }
    std::span<const std::byte> take(size_t bytes) {
        if (bytes > rest_.size())
            malformed();
        const auto taken = rest_.first(bytes);
        rest_ = rest_.subspan(bytes);
        return taken;
    }
    uint64_t number() {
        uint64_t value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::span<const std::byte> block(size_t most) {
        const uint64_t bytes = number();
        return bytes <= most ? take(bytes) : throw Malformed{};
    }
    std::span<const std::byte> rest_;
};

} // namespace check::message
