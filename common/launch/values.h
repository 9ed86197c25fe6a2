// Numbers as the elements of buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace launch {

/// The elements of a buffer.
enum class Type : uint8_t { u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64 };
uint32_t bytes_of(Type type);
/// "u8, s8, …"
std::string type_names();
std::optional<Type> type_named(std::string_view name);
double load(Type type, const std::byte* from);
void store(Type type, double value, std::byte* to); ///< integers wrap around
/// The value that an element has once it has been stored.
double rounded(Type type, double value);
/// How far floating-point numbers may differ, relative to the larger one: by a few roundings.
double usual_tolerance(Type type);
bool same(Type type, double expected, double found, double tolerance);

/// NumPy's file for one row of elements; bf16, which NumPy does not have, becomes u16.
std::string npy(Type type, std::string_view bytes);
/// The bytes of the elements in the file; the whole file if it is none of NumPy's. Throws base::Problem.
std::string_view elements_in(std::string_view file);

} // namespace launch
