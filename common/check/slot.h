// An argument of the launch function on its way to the program.
#pragma once

#include <cstdint>
#include <string>

namespace check::detail {

struct Slot {
    uint64_t bits;
    char code;        ///< as in Argument<T>::code of student/lab.h
    std::string text; ///< for people: "[1000]"
};

} // namespace check::detail
