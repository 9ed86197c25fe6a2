// A lab's constants that can be each student's own, so that numbers copied from others do not fit:
//
//     LAB_CONSTANT(01_synchronous_staging, RADIUS, 3, 1, 2, 4); // the first one is in the skeleton
//
// RADIUS is then the value with which this run is checked. Choose a constant whose value shows in the results or in the
// counts of the lab's key case: otherwise a kernel with another value passes, too.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace check {

/// Values by name.
using Constants = std::map<std::string, int>;

class Constant {
  public:
    Constant(std::string_view lab, std::string_view name, std::vector<int> values);
    Constant(const Constant&) = delete;
    operator int() const { return value_; }
    std::string_view lab() const { return lab_; }
    std::string_view name() const { return name_; }
    const std::vector<int>& values() const { return values_; } ///< all that are allowed; the skeleton has the first one
    void set(int value) const { value_ = value; }              ///< of the checks in this process

  private:
    std::string_view lab_, name_;
    std::vector<int> values_;
    mutable int value_;
};

/// Those of a lab; empty if it has none.
std::vector<const Constant*> constants_of(std::string_view lab);
/// A student's constants, always the same. Neither case nor blanks around the id count.
Constants constants_for(std::string_view lab, std::string_view student);
/// From now on this process checks the lab with these values, and with the skeleton's where none is named.
void use_constants(std::string_view lab, const Constants& values);
/// "RADIUS = 3, TILE = 1024".
std::string text(const Constants& values);

/// The constants' values in a kernel's source: `constexpr int RADIUS = 3`, alone or in a list. The answer leaves out
/// those that are not found.
Constants constants_in(std::string_view source, const Constants& names);
/// The same file with these values.
std::string with_constants(std::string source, const Constants& values);

} // namespace check

#define LAB_CONSTANT(lab, name, ...) const ::check::Constant name(#lab, #name, {__VA_ARGS__})
