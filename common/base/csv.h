// CSV, written and read (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/escape.h"

namespace base {

/// A comma between fields, a line end behind them.
inline std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (size_t i = 0; i < fields.size(); ++i)
        line += (i ? "," : "") + csv_field(fields[i]);
    return line + "\r\n";
}

struct CsvField {
    std::string raw;   ///< as it is written
    std::string value; ///< without quotes
};
struct CsvRow {
    std::vector<CsvField> fields;
    std::string end; ///< of the line
};
std::vector<CsvRow> csv_rows(std::string_view text);
/// What csv_rows() read, byte by byte, unless a field's `raw` was changed.
std::string csv_text(const std::vector<CsvRow>& rows);

} // namespace base
