// How people name files and folders after labs: lab03.cu, 3/, Ada_Lab_3.cu, lab03_ada.cu, ADA03.cu, 实验 03.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace grader {

struct LabName {
    int number = 0;
    std::string person; ///< what else the name says; empty: nothing
    bool sure = true;   ///< false: only a number at its end, which could mean something else
};
/// `name`: of a folder, or of a file without its ending.
std::optional<LabName> lab_name(std::string_view name);

/// The lab that a name names for sure, by number or in full.
std::optional<std::string> lab_named(std::string_view name, const std::vector<std::string>& labs);

/// Letters of ASCII become small.
std::string lower(std::string_view text);
/// kernel.cu, ada.tar.gz: without the ending that is_source() or is_archive() looks for.
std::string_view without_ending(std::string_view file);

} // namespace grader
