// A lab's kernel.cu as published, even after the file has changed.
#pragma once

#include <string>
#include <string_view>

#include "base/paths.h"

namespace judge {

struct Skeleton {
    std::string text;
    bool original = true; ///< false: git does not know it, and this is the file as it is now
};
Skeleton skeleton(const base::Paths& paths, std::string_view lab);

} // namespace judge
