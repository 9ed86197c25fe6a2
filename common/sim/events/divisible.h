// A launch in parts: other processes, which begin as copies of this one, execute some of its blocks each. What they
// have kept comes back as bytes and is put together, in the order of the blocks. It is as if all had run here, since no
// part may have met anything that another one has done, or anything worth a report; otherwise the launch goes on here,
// and nothing is known of the parts.
#pragma once

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sim::machine {
class Grid;
}

namespace sim::events {

/// Plain values, one after the other, between processes of one program.
class Packer {
  public:
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void add(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
    template <class T>
    void add_all(const std::vector<T>& values) {
        add(values.size());
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    void add_text(std::string_view text) {
        add(text.size());
        bytes_ += text;
    }
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

class Unpacker {
  public:
    explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
    template <class T>
    requires std::is_trivially_copyable_v<T> T next() {
        T value;
        std::memcpy(&value, raw(sizeof value).data(), sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> all() {
        std::vector<T> values(next<size_t>());
        if (!values.empty())
            std::memcpy(values.data(), raw(values.size() * sizeof(T)).data(), values.size() * sizeof(T));
        return values;
    }
    std::string_view text() { return raw(next<size_t>()); }
    /// Throws std::out_of_range if there are not so many bytes left.
    std::string_view raw(size_t bytes) {
        if (bytes > rest_.size())
            throw std::out_of_range("a part of a launch ends too soon");
        const std::string_view first = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        return first;
    }

  private:
    std::string_view rest_;
};

/// Something that keeps what it has heard of a launch.
class Divisible {
  public:
    virtual ~Divisible() = default;
    /// May the launch be divided, as far as it has come?
    virtual bool may_divide(const machine::Grid&) const = 0;
    /// In the process of a part: from here on only `blocks` run, by Block::linear.
    virtual void begin_part(machine::Grid&, const std::vector<bool>& blocks) = 0;
    /// In the process of a part: has nothing happened so far that the other parts, or a report, must know of?
    virtual bool independent(const machine::Grid&) = 0;
    /// In the process of a part, after its end.
    virtual void pack_part(const machine::Grid&, Packer& to) const = 0;
    /// Is each part independent of the others? Changes nothing.
    virtual bool fit(const machine::Grid&, std::span<const std::string_view> parts) const = 0;
    /// Adds the next part.
    virtual void join_part(machine::Grid&, std::string_view part) = 0;
    /// All have been added: the blocks of the grid that are resident here have ended elsewhere.
    virtual void all_joined(machine::Grid&) {}
};

} // namespace sim::events
