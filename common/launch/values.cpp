#include "launch/values.h"

#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/problem.h"
#include "sim/instructions/half.h"

namespace launch {
namespace {

using sim::instructions::Binary16, sim::instructions::Brain;

struct Element {
    std::string_view name;
    uint32_t bytes;
    bool floating;
    bool is_signed;
};
constexpr std::array<Element, 12> elements{{{"u8", 1, false, false},
                                            {"s8", 1, false, true},
                                            {"u16", 2, false, false},
                                            {"s16", 2, false, true},
                                            {"u32", 4, false, false},
                                            {"s32", 4, false, true},
                                            {"u64", 8, false, false},
                                            {"s64", 8, false, true},
                                            {"f16", 2, true, true},
                                            {"bf16", 2, true, true},
                                            {"f32", 4, true, true},
                                            {"f64", 8, true, true}}};

const Element& of(Type type) {
    return elements[size_t(type)];
}

template <class T>
T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void write(T value, std::byte* to) {
    std::memcpy(to, &value, sizeof value);
}

} // namespace

std::string type_names() {
    std::string names;
    for (const Element& one : elements)
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    return names;
}

uint32_t bytes_of(Type type) {
    return of(type).bytes;
}

std::optional<Type> type_named(std::string_view name) {
    for (size_t i = 0; i < elements.size(); ++i)
        if (elements[i].name == name)
            return Type(i);
    return std::nullopt;
}

double load(Type type, const std::byte* from) {
    switch (type) {
    case Type::f16:
        return Binary16::load<false>(read<uint16_t>(from));
    case Type::bf16:
        return Brain::load<false>(read<uint16_t>(from));
    case Type::f32:
        return read<float>(from);
    case Type::f64:
        return read<double>(from);
    default:
        break;
    }
    uint64_t bits = 0;
    std::memcpy(&bits, from, of(type).bytes);
    const uint32_t unused = 64 - 8 * of(type).bytes;
    return of(type).is_signed ? double(int64_t(bits << unused) >> unused) : double(bits);
}

void store(Type type, double value, std::byte* to) {
    switch (type) {
    case Type::f16:
        return write(Binary16::store<false>(value), to);
    case Type::bf16:
        return write(Brain::store<false>(value), to);
    case Type::f32:
        return write(float(value), to);
    case Type::f64:
        return write(value, to);
    default:
        break;
    }
    const double whole = std::trunc(value);
    const uint64_t bits = whole >= 0x1p63 && whole < 0x1p64    ? uint64_t(whole)
                          : whole >= -0x1p63 && whole < 0x1p63 ? uint64_t(int64_t(whole))
                                                               : 0;
    std::memcpy(to, &bits, of(type).bytes);
}

double rounded(Type type, double value) {
    std::array<std::byte, 8> bytes{};
    store(type, value, bytes.data());
    return load(type, bytes.data());
}

double usual_tolerance(Type type) {
    return type == Type::f64 ? 1e-12 : type == Type::f32 ? 1e-5 : 1e-2;
}

bool same(Type type, double expected, double found, double tolerance) {
    if (expected == found || (expected != expected && found != found))
        return true;
    if (!of(type).floating)
        return false;
    return std::fabs(expected - found) <= tolerance * std::fmax(std::fabs(expected), std::fabs(found));
}

// The format: magic, version, length of the header, the header as a Python dictionary, the elements.
std::string npy(Type type, std::string_view bytes) {
    const Element& element = of(type == Type::bf16 ? Type::u16 : type);
    std::string header =
        fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({},), }}", element.bytes > 1 ? '<' : '|',
                    element.floating    ? 'f'
                    : element.is_signed ? 'i'
                                        : 'u',
                    element.bytes, bytes.size() / element.bytes);
    header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
    const auto length = uint16_t(header.size());
    return std::string("\x93NUMPY\x01\0", 8) + char(length & 0xFF) + char(length >> 8) + header + std::string(bytes);
}

std::string_view elements_in(std::string_view file) {
    if (!file.starts_with("\x93NUMPY") || file.size() < 12)
        return file;
    const auto byte = [&](size_t at) { return size_t(static_cast<unsigned char>(file[at])); };
    const size_t begin = file[6] == 1 ? 10 : 12, length = byte(8) | byte(9) << 8;
    if (file.size() < begin + length || file.substr(begin, length).find("'fortran_order': True") != file.npos)
        throw base::Problem{"the array lies in Fortran's order, or its file is damaged",
                            "save numpy.ascontiguousarray(array)"};
    return file.substr(begin + length);
}

} // namespace launch
