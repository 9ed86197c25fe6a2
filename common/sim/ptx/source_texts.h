// Where the texts of a program's source files come from.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sim::ptx {

/// By the name that PTX gives the file.
using SourceTexts = std::map<std::string, std::string>;

/// From now on this process opens no source file: there are only these. For a process that may open none.
void use_source_texts(SourceTexts texts);

/// A source file's text, from use_source_texts or from the disk; empty: it cannot be read, or is too large.
std::string source_text(const std::string& file);

/// The files that PTX names in .file directives and that the toolkit does not own; at most `most`.
std::vector<std::string> named_files(std::string_view ptx, size_t most);

} // namespace sim::ptx
