// The buffers of a launch: their contents before it, and the expected contents after it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch/part.h"
#include "launch/values.h"
#include "sim/device/device.h"

namespace launch {

/// Reads a file that a description names. Throws base::Problem.
using ReadFile = std::function<std::string(const std::string& name)>;

/// The elements of a buffer: a formula for each (formula.h), a list, or those of a file.
class Contents {
  public:
    Contents(const Part& part, Type type, const ReadFile& read_file);
    /// Number of elements; nullopt: a formula, which fits any number.
    std::optional<uint64_t> count() const;
    /// The bytes of a file's elements; empty: they come from value().
    std::string_view bytes() const { return bytes_; }
    const Part& part() const { return part_; }

  private:
    friend class Values;
    Part part_;
    Type type_;
    std::string formula_; ///< empty: it is none
    std::vector<double> list_;
    std::string bytes_;
    bool file_ = false;
};

/// Contents whose formula has its names. Both must outlive it.
class Values {
  public:
    /// Throws Mistake if the formula is none, or names what does not exist.
    Values(const Contents& contents, Names& names);
    double operator[](uint64_t i);

  private:
    const Contents& contents_;
    double& index_; ///< the formula's i
    std::optional<Formula> formula_;
};

struct Buffer {
    std::string name;
    Type type = Type::f32;
    uint64_t count = 0;
    uint64_t address = 0;
    std::optional<Contents> expected; ///< after the launches; none: anything is right
    double tolerance = 0;
    uint64_t print = 0;         ///< how many elements to show after the launches
    std::string save;           ///< a file for the elements after the launches; empty: none
    std::vector<double> before; ///< the elements before the launches, as the formulas see them
};

/// Allocates and fills what "buffers" lists. Throws Mistake.
std::vector<Buffer> make_buffers(sim::Device& device, const Part& description, const Names& numbers,
                                 const ReadFile& read_file);
const Buffer& buffer_named(const std::vector<Buffer>& buffers, const Part& name);
/// What formulas for the elements of a buffer may name.
Names names_for(Names numbers, const std::vector<Buffer>& buffers, uint64_t count);
Type type_of(const Part& record, Type otherwise);

} // namespace launch
