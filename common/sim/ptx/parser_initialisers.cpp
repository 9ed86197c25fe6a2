// Initial values of .global and .const variables. Source: PTX ISA, "Initializers".
#include "sim/ptx/parser.h"

#include <bit>

namespace sim::ptx {
namespace {

constexpr uint64_t max_initial_bytes = uint64_t{1} << 28;

} // namespace

void Parser::parse_initialiser(Variable& variable, Shape& shape) {
    const uint32_t line = token_.line;
    if (token_.is('{'))
        parse_initial_list(variable, shape, 0, 0);
    else
        parse_initial_value(variable, shape, 0);
    if (shape.unsized) {
        uint64_t row = shape.element_bytes;
        for (size_t i = 1; i < shape.dimensions.size(); ++i)
            row *= shape.dimensions[i];
        uint64_t end = variable.init.size();
        for (const AddressInit& address : variable.addresses)
            end = std::max(end, address.offset + shape.element_bytes);
        variable.bytes = (end + row - 1) / row * row;
    }
    if (!variable.init.empty()) {
        if (variable.bytes > max_initial_bytes)
            fail_at(line, fmt::format("the initial value of '{}' is too large", variable.name));
        variable.init.resize(variable.bytes);
    }
}

/// { a, b, { c, d } }: `level` is the dimension that this list runs over.
void Parser::parse_initial_list(Variable& variable, Shape& shape, size_t level, uint64_t offset) {
    if (level >= shape.dimensions.size() && !(level == 0 && shape.dimensions.empty()))
        fail(fmt::format("too many '{{' in the initial value of '{}'", variable.name));
    uint64_t step = shape.element_bytes;
    for (size_t i = level + 1; i < shape.dimensions.size(); ++i)
        step *= shape.dimensions[i];
    const bool open = level == 0 && shape.unsized;
    const uint64_t end =
        open ? max_initial_bytes : offset + step * (shape.dimensions.empty() ? 1 : shape.dimensions[level]);
    expect('{', "before initial values");
    while (!token_.is('}')) {
        if (offset >= end)
            fail(fmt::format("'{}' has more initial values than room for them", variable.name));
        if (token_.is('{')) {
            parse_initial_list(variable, shape, level + 1, offset);
            offset += step;
        } else {
            // Plain values fill the innermost dimension one after the other.
            parse_initial_value(variable, shape, offset);
            offset += shape.element_bytes;
        }
        if (!accept(','))
            break;
    }
    expect('}', "after initial values");
}

void Parser::store_initial(Variable& variable, uint64_t offset, uint64_t bits, uint32_t bytes) {
    if (offset + bytes > max_initial_bytes)
        fail(fmt::format("the initial value of '{}' is too large", variable.name));
    if (bits == 0)
        bytes = std::max(bytes, 1u); // zeros count as given: an unsized array is as long as its list
    if (variable.init.size() < offset + bytes)
        variable.init.resize(offset + bytes);
    for (uint32_t i = 0; i < bytes; ++i)
        variable.init[offset + i] = i < 8 ? static_cast<uint8_t>(bits >> (8 * i)) : 0;
}

void Parser::parse_initial_value(Variable& variable, const Shape& shape, uint64_t offset) {
    const uint32_t line = token_.line;
    if (token_.kind == Token::Kind::word && token_.text != "WARP_SZ") {
        AddressInit address{.offset = offset, .symbol = {}, .addend = 0, .generic = false};
        if (token_.text == "generic" && ahead_.is('(')) {
            advance();
            advance();
            address.generic = true;
            address.symbol = expect_word("a variable's name");
            expect(')', "after generic(symbol");
        } else {
            address.symbol = expect_word("a name");
        }
        if (token_.is('+') || token_.is('-')) {
            const bool minus = token_.is('-');
            advance();
            const uint64_t addend = parse_unary();
            address.addend = static_cast<int64_t>(minus ? 0 - addend : addend);
        }
        if (shape.element_bytes != 8 && shape.element_bytes != 4)
            fail_at(line, fmt::format("the address of '{}' does not fit in an element of '{}'", address.symbol,
                                      variable.name));
        address_uses_.emplace_back(line, address.symbol);
        variable.addresses.push_back(std::move(address));
        store_initial(variable, offset, 0, shape.element_bytes);
        return;
    }
    const bool minus = token_.is('-') && ahead_.kind == Token::Kind::real;
    if (minus)
        advance();
    if (token_.kind == Token::Kind::real) {
        const double value = token_.width == 64 ? std::bit_cast<double>(token_.value)
                                                : double{std::bit_cast<float>(static_cast<uint32_t>(token_.value))};
        uint64_t bits = 0;
        if (shape.element_bytes == token_.width / 8)
            bits = token_.value; // exact, also for NaN payloads
        else if (shape.element_bytes == 8)
            bits = std::bit_cast<uint64_t>(value);
        else if (shape.element_bytes == 4)
            bits = std::bit_cast<uint32_t>(static_cast<float>(value));
        else
            fail(fmt::format("a float does not fit in an element of '{}'", variable.name));
        if (minus)
            bits ^= uint64_t{1} << (shape.element_bytes * 8 - 1);
        advance();
        store_initial(variable, offset, bits, shape.element_bytes);
        return;
    }
    const uint64_t bits = parse_expression();
    if (token_.is('('))
        fail_at(line, "pieces of an address, mask(symbol), are not known to this parser");
    store_initial(variable, offset, bits, shape.element_bytes);
}

} // namespace sim::ptx
