#include "runner/question_bank.h"

#include <algorithm>
#include <cctype>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "base/escape.h"
#include "base/files.h"
#include "base/problem.h"
#include "base/text.h"

namespace runner {

using base::markup;
using base::Problem, base::trimmed;

namespace {

/// How a platform asks for it.
enum class Form : uint8_t { choice, number, text };

Form form(const Question& question) {
    if (!question.choices.empty())
        return Form::choice;
    return question.kind == Answer::number || question.kind == Answer::line ? Form::number : Form::text;
}

// No platform reads hexadecimal numbers.
std::string decimal(const std::string& number) {
    return number.starts_with("0x") ? std::to_string(std::stoull(number, nullptr, 16)) : number;
}

bool is_right_choice(const Answered& one, size_t i) {
    const std::string& answer = one.answer;
    return one.question.kind == Answer::rule ? one.question.choices[i] == answer : std::to_string(i + 1) == answer;
}

// Of `*word*` at this position: where its second asterisk is; npos: there is none.
size_t end_of_emphasis(std::string_view text, size_t begin) {
    size_t end = begin + 1;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])))
        ++end;
    return text[begin] == '*' && end > begin + 1 && end < text.size() && text[end] == '*' ? end : text.npos;
}

// Paragraphs, `code` and *emphasis* of one word, which is all that questions use of Markdown.
std::string html(std::string_view markdown) {
    std::string out = "<p>";
    bool code = false;
    const std::string text = markup(trimmed(markdown));
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '`') {
            out += code ? "</code>" : "<code>";
            code = !code;
        } else if (const size_t end = end_of_emphasis(text, i); !code && end != text.npos) {
            out += "<em>" + text.substr(i + 1, end - i - 1) + "</em>";
            i = end;
        } else if (text.compare(i, 2, "\n\n") == 0) {
            out += "</p><p>";
            ++i;
        } else {
            out += text[i];
        }
    }
    return out + "</p>";
}

std::string asked(const Answered& one) {
    std::string out = html(one.question.text);
    if (!one.listing.empty())
        out += "<pre>" + markup(one.listing) + "</pre>";
    return out;
}

std::string cdata(const std::string& html) {
    return "<![CDATA[" + html + "]]>"; // markup() leaves no "]]>": its > is &gt;
}

// --- GIFT ---------------------------------------------------------------------------------------------------------

std::string gift_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("~=#{}:\\").find(c) != std::string_view::npos)
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out;
}

std::string gift(const Answered& one) {
    std::string out = fmt::format("::{}::[html]{} {{\n", gift_text(one.title), gift_text(asked(one)));
    const std::string why = "####" + gift_text(html(one.question.why));
    switch (form(one.question)) {
    case Form::choice:
        for (size_t i = 0; i < one.question.choices.size(); ++i)
            out +=
                fmt::format("\t{}{}\n", is_right_choice(one, i) ? "=" : "~", gift_text(html(one.question.choices[i])));
        break;
    case Form::number:
        out = out.substr(0, out.size() - 1) +
              fmt::format("#{}:{:g}", decimal(one.answer), one.question.tolerance * std::abs(std::stod(one.answer))) +
              "\n";
        break;
    case Form::text:
        out += fmt::format("\t={}\n", gift_text(one.answer));
        break;
    }
    return out + "\t" + why + "\n}\n\n";
}

// --- Moodle XML -----------------------------------------------------------------------------------------------------

std::string moodle_answer(const std::string& text, int fraction, const std::string& more = {}) {
    return fmt::format("    <answer fraction=\"{}\" format=\"html\"><text>{}</text>{}</answer>\n", fraction, text,
                       more);
}

std::string moodle(const Answered& one) {
    static constexpr const char* types[] = {"multichoice", "numerical", "shortanswer"};
    const Form how = form(one.question);
    std::string out = fmt::format(R"(  <question type="{}">
    <name><text>{}</text></name>
    <questiontext format="html"><text>{}</text></questiontext>
    <generalfeedback format="html"><text>{}</text></generalfeedback>
    <defaultgrade>1</defaultgrade>
)",
                                  types[static_cast<size_t>(how)], markup(one.title), cdata(asked(one)),
                                  cdata(html(one.question.why)));
    if (how == Form::choice) {
        out += "    <single>true</single>\n    <shuffleanswers>true</shuffleanswers>\n    "
               "<answernumbering>none</answernumbering>\n";
        for (size_t i = 0; i < one.question.choices.size(); ++i)
            out += moodle_answer(cdata(html(one.question.choices[i])), is_right_choice(one, i) ? 100 : 0);
    } else if (how == Form::number) {
        const double off = one.question.tolerance * std::abs(std::stod(one.answer));
        out += moodle_answer(decimal(one.answer), 100, fmt::format("<tolerance>{:g}</tolerance>", off));
    } else {
        out += "    <usecase>0</usecase>\n" + moodle_answer(markup(one.answer), 100);
    }
    return out + "  </question>\n";
}

// --- QTI 2.1 --------------------------------------------------------------------------------------------------------

std::string qti_declaration(const Answered& one) {
    std::string value = form(one.question) == Form::number ? decimal(one.answer) : one.answer;
    if (form(one.question) == Form::choice)
        for (size_t i = 0; i < one.question.choices.size(); ++i)
            if (is_right_choice(one, i))
                value = fmt::format("c{}", i + 1);
    static constexpr const char* types[] = {"identifier", "float", "string"};
    return fmt::format(R"(  <responseDeclaration identifier="RESPONSE" cardinality="single" baseType="{}">
    <correctResponse><value>{}</value></correctResponse>
  </responseDeclaration>
  <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"/>
)",
                       types[static_cast<size_t>(form(one.question))], markup(value));
}

std::string qti_interaction(const Answered& one) {
    if (form(one.question) != Form::choice)
        return "    <p><textEntryInteraction responseIdentifier=\"RESPONSE\"/></p>\n";
    std::string out = "    <choiceInteraction responseIdentifier=\"RESPONSE\" shuffle=\"true\" maxChoices=\"1\">\n";
    for (size_t i = 0; i < one.question.choices.size(); ++i)
        out += fmt::format("      <simpleChoice identifier=\"c{}\">{}</simpleChoice>\n", i + 1,
                           html(one.question.choices[i]));
    return out + "    </choiceInteraction>\n";
}

std::string qti_item(const Answered& one, const std::string& id) {
    return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="{}" title="{}" adaptive="false" timeDependent="false">
{}  <itemBody>
    <div>{}</div>
{}  </itemBody>
  <responseProcessing template="http://www.imsglobal.org/question/qti_v2p1/rptemplates/match_correct"/>
</assessmentItem>
)",
                       id, markup(one.title), qti_declaration(one), asked(one), qti_interaction(one));
}

std::string qti_manifest(size_t items) {
    std::string out = R"(<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" identifier="asynclab">
  <metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>
  <organizations/>
  <resources>
)";
    for (size_t i = 1; i <= items; ++i)
        out += fmt::format("    <resource identifier=\"r{0}\" type=\"imsqti_item_xmlv2p1\" href=\"q{0}.xml\"><file "
                           "href=\"q{0}.xml\"/></resource>\n",
                           i);
    return out + "  </resources>\n</manifest>\n";
}

void write_zip(const fs::path& file, const std::vector<std::pair<std::string, std::string>>& members) {
    const fs::path beside = file.string() + ".part";
    archive* zip = archive_write_new();
    bool good = archive_write_set_format_zip(zip) == ARCHIVE_OK &&
                archive_write_open_filename(zip, beside.c_str()) == ARCHIVE_OK;
    for (const auto& [name, text] : members) {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, name.c_str());
        archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        good = good && archive_write_header(zip, entry) == ARCHIVE_OK &&
               archive_write_data(zip, text.data(), text.size()) == static_cast<la_ssize_t>(text.size());
        archive_entry_free(entry);
    }
    good = archive_write_close(zip) == ARCHIVE_OK && good;
    archive_write_free(zip);
    if (!good) {
        fs::remove(beside);
        throw Problem{"cannot write " + file.string(), "check the folder and the space on the disk"};
    }
    fs::rename(beside, file);
}

} // namespace

void write_question_bank(const fs::path& file, const std::vector<Answered>& questions) {
    std::string text;
    if (file.extension() == ".gift") {
        text = "// The questions of asynclab, made by ./lab quiz --export.\n\n$CATEGORY: asynclab\n\n";
        for (const auto& one : questions)
            text += gift(one);
        base::write_file(file, text);
    } else if (file.extension() == ".xml") {
        text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n";
        for (const auto& one : questions)
            text += moodle(one);
        base::write_file(file, text + "</quiz>\n");
    } else if (file.extension() == ".zip") {
        std::vector<std::pair<std::string, std::string>> members{{"imsmanifest.xml", qti_manifest(questions.size())}};
        for (size_t i = 0; i < questions.size(); ++i)
            members.emplace_back(fmt::format("q{}.xml", i + 1), qti_item(questions[i], fmt::format("q{}", i + 1)));
        write_zip(file, members);
    } else {
        throw Problem{"a question bank is a .gift, .xml (Moodle) or .zip (QTI) file, not " + file.string(),
                      "./lab quiz --export questions.xml"};
    }
}

} // namespace runner
