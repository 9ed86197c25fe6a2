// Memory that a case hands to the student's launch function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace check {

enum class MemoryKind : uint8_t {
    device,   ///< device memory of the checker's GPU
    pinned,   ///< cudaMallocHost memory in the student's process
    pageable, ///< malloc memory in the student's process
};

namespace detail {

/// One allocation; lives until the case ends.
struct Memory;
std::shared_ptr<Memory> allocate(MemoryKind place, std::span<const std::byte> contents);
std::shared_ptr<Memory> allocate_poisoned(MemoryKind place, size_t bytes);
uint64_t address(const Memory&);
MemoryKind place(const Memory&);
/// The memory's current contents. Device memory must be idle: every check::call ends synchronised.
std::vector<std::byte> read(const Memory&, size_t offset, size_t bytes);
void write(Memory&, size_t offset, std::span<const std::byte> contents);

} // namespace detail

/// `size()` elements of an allocation, starting at element `first`. What buffers hand out and expectations take.
template <class T>
struct View {
    std::shared_ptr<detail::Memory> memory;
    size_t first = 0, count = 0;

    /// For check::call and for structures that hold device pointers.
    uint64_t address() const { return detail::address(*memory) + first * sizeof(T); }
    size_t size() const { return count; }
    /// The memory's current contents.
    std::vector<T> read() const {
        auto bytes = detail::read(*memory, first * sizeof(T), count * sizeof(T));
        std::vector<T> values(count);
        if (count)
            std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
};

/// An allocation of exactly `size()` elements (one access beyond it is an error) with the values it was made with.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit Buffer(std::vector<T> values, MemoryKind place = MemoryKind::device)
        : values_(std::move(values)), memory_(detail::allocate(place, std::as_bytes(std::span(values_)))) {}
    struct Poisoned {
        size_t count;
    };
    explicit Buffer(Poisoned poisoned, MemoryKind place = MemoryKind::device)
        : values_(poisoned.count), memory_(detail::allocate_poisoned(place, poisoned.count * sizeof(T))) {
        if (poisoned.count)
            std::memset(static_cast<void*>(values_.data()), 0xDB, poisoned.count * sizeof(T));
    }

    // The values it was made with, so that a buffer can be passed where std::span<const T> is expected: reference(in).
    const std::vector<T>& values() const { return values_; }
    const T* data() const { return values_.data(); }
    size_t size() const { return values_.size(); }
    auto begin() const { return values_.begin(); }
    auto end() const { return values_.end(); }
    const T& operator[](size_t i) const { return values_[i]; }

    uint64_t address() const { return detail::address(*memory_); }
    View<T> all() const { return {memory_, 0, size()}; }
    View<T> slice(size_t first, size_t count) const { return {memory_, first, count}; }
    /// A pointer to element `first`: check::call(in + 1, …) passes a misaligned one.
    View<T> operator+(size_t first) const { return {memory_, first, size() - first}; }
    /// The memory's current contents.
    std::vector<T> read() const { return all().read(); }
    /// New contents, for a second call.
    void write(std::vector<T> values) {
        detail::write(*memory_, 0, std::as_bytes(std::span(values)));
        values_ = std::move(values);
    }

  private:
    std::vector<T> values_;
    std::shared_ptr<detail::Memory> memory_;
};

} // namespace check
