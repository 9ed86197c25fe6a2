#include "sim/machine/partial.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

namespace sim::machine {
namespace {

using Kind = ptx::Operand::Kind;
using Words = std::vector<std::string_view>;

Words words_of(std::string_view opcode) {
    Words words;
    for (size_t dot; (dot = opcode.find('.')) != opcode.npos; opcode.remove_prefix(dot + 1))
        words.push_back(opcode.substr(0, dot));
    words.push_back(opcode);
    return words;
}

/// Bytes of ".u16"; 0: it is no such type.
uint32_t bytes_of(std::string_view type) {
    uint32_t bits = 0;
    const auto end = type.data() + type.size();
    const auto read = type.empty() ? std::from_chars_result{end, std::errc::invalid_argument}
                                   : std::from_chars(type.data() + 1, end, bits);
    return read.ec == std::errc{} && read.ptr == end ? bits / 8 : 0;
}

Bytes first(uint32_t bytes) {
    return Bytes((1u << bytes) - 1);
}

uint64_t bits_of(Bytes bytes) {
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i)
        bits |= bytes >> i & 1 ? uint64_t{0xff} << 8 * i : 0;
    return bits;
}

Bytes bytes_with(uint64_t bits) {
    Bytes bytes = 0;
    for (int i = 0; i < 8; ++i)
        bytes |= Bytes((bits >> 8 * i & 0xff ? 1u : 0u) << i);
    return bytes;
}

std::optional<uint64_t> immediate(const ptx::Instruction& code, size_t operand) {
    if (operand < code.operands.size() && code.operands[operand].kind == Kind::immediate)
        return code.operands[operand].bits;
    return std::nullopt;
}

Bytes moved(const ptx::Instruction& code, size_t element, size_t result, Bytes missing, uint32_t bytes) {
    if (const auto& to = code.operands[0]; to.kind == Kind::vector) {
        const auto each = uint32_t(bytes / to.elements.size());
        return Bytes(missing >> each * result & first(each));
    }
    if (const auto& from = code.operands[1]; from.kind == Kind::vector)
        return Bytes(missing << bytes / from.elements.size() * element);
    return missing;
}

Bytes shifted(const ptx::Instruction& code, const Words& words, Bytes missing) {
    const uint32_t bytes = bytes_of(words.back());
    const auto by = immediate(code, 2);
    if (!by || *by >= 8 * bytes) // nothing of it remains, or it is not known what
        return 0;
    const uint64_t bits = bits_of(missing);
    if (words[0] == "shl")
        return bytes_with(bits << *by) & first(bytes);
    const bool sign = words.back().starts_with('s') && missing >> (bytes - 1) & 1;
    return bytes_with(bits >> *by | (sign ? ~uint64_t{0} << (8 * bytes - *by) : 0)) & first(bytes);
}

Bytes permuted(const ptx::Instruction& code, const Words& words, size_t operand, Bytes missing) {
    const auto selector = immediate(code, 3);
    if (!selector || words.size() > 2 || operand > 2)
        return 0;
    Bytes result = 0;
    for (uint32_t i = 0; i < 4; ++i)
        if (const auto from = uint32_t(*selector >> 4 * i & 7); from / 4 + 1 == operand && missing >> from % 4 & 1)
            result |= Bytes(1u << i);
    return result;
}

Bytes extracted(const ptx::Instruction& code, Bytes missing) {
    const auto at = immediate(code, 2), count = immediate(code, 3);
    if (!at || !count || *at >= 64 || *count >= 64)
        return 0;
    return bytes_with(bits_of(missing) >> *at & ((uint64_t{1} << *count) - 1));
}

std::optional<Carried> converted(const Words& words, Bytes missing) {
    const std::string_view from = words.back(), to = words[words.size() - 2];
    const uint32_t bytes = bytes_of(from), result = bytes_of(to);
    if (bytes && !(missing & first(bytes)))
        return Carried{};
    const auto is_integer = [](std::string_view type) { return type[0] == 'u' || type[0] == 's' || type[0] == 'b'; };
    if (!bytes || !result || !is_integer(from) || !is_integer(to))
        return std::nullopt;
    Bytes carries = missing & first(bytes);
    if (from[0] == 's' && missing >> (bytes - 1) & 1 && result > bytes)
        carries |= first(result) & ~first(bytes);
    return Carried{Bytes(carries & first(result))};
}

bool is_packed(const Words& words) {
    constexpr std::string_view names[] = {"add", "sub", "mul", "fma", "min", "max", "neg", "abs", "ex2", "tanh"};
    constexpr std::string_view types[] = {"f16x2", "bf16x2", "u16x2", "s16x2"};
    return std::ranges::find(names, words[0]) != std::end(names) &&
           std::ranges::find(types, words.back()) != std::end(types);
}

} // namespace

std::optional<Carried> carried(const ptx::Instruction& code, size_t operand, size_t element, size_t result,
                               Bytes missing) {
    const Words words = words_of(code.opcode);
    const std::string_view name = words[0];
    if (name == "mov")
        return Carried{moved(code, element, result, missing, bytes_of(words.back()))};
    if (name == "and") { // else it is not known what is masked out
        const auto mask = immediate(code, operand == 1 ? 2 : 1);
        return Carried{mask ? Bytes(missing & bytes_with(*mask)) : Bytes{0}};
    }
    if (name == "or" || name == "xor" || name == "not" || name == "selp")
        return Carried{missing};
    if ((name == "shl" || name == "shr") && operand == 1)
        return Carried{shifted(code, words, missing)};
    if (name == "prmt")
        return Carried{permuted(code, words, operand, missing)};
    if (name == "bfe" && operand == 1)
        return Carried{extracted(code, missing)};
    if (name == "cvt" && words.size() > 2)
        return converted(words, missing);
    if (name == "bfi" || name == "shf" || name == "szext" || name == "lop3" || name == "shfl")
        return Carried{};
    if (is_packed(words))
        return Carried{Bytes((missing & 3 ? 3 : 0) | (missing & 12 ? 12 : 0)), true};
    return std::nullopt;
}

} // namespace sim::machine
