#include "base/csv.h"

namespace base {

std::vector<CsvRow> csv_rows(std::string_view text) {
    std::vector<CsvRow> rows;
    for (size_t at = 0; at < text.size();) {
        CsvRow row;
        for (bool more = true; more;) {
            CsvField field;
            const size_t begin = at;
            if (at < text.size() && text[at] == '"') {
                for (++at; at < text.size(); ++at) {
                    if (text[at] != '"') {
                        field.value += text[at];
                    } else if (text.substr(at, 2) == "\"\"") {
                        field.value += '"';
                        ++at;
                    } else {
                        ++at;
                        break;
                    }
                }
            }
            while (at < text.size() && text[at] != ',' && text[at] != '\n' && text[at] != '\r')
                field.value += text[at++];
            field.raw = text.substr(begin, at - begin);
            row.fields.push_back(std::move(field));
            more = at < text.size() && text[at] == ',';
            at += more;
        }
        const size_t end = at;
        if (at < text.size() && text[at] == '\r')
            ++at;
        if (at < text.size() && text[at] == '\n')
            ++at;
        row.end = text.substr(end, at - end);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string csv_text(const std::vector<CsvRow>& rows) {
    std::string text;
    for (const auto& row : rows) {
        for (size_t i = 0; i < row.fields.size(); ++i)
            text += (i ? "," : "") + row.fields[i].raw;
        text += row.end;
    }
    return text;
}

} // namespace base
