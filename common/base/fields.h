// Structs that are sent or written list their fields once; from that list they become JSON and are read from it:
//
//     template <> inline constexpr auto base::fields<Box> = std::tuple{Field{"user", &Box::user}, …};
//     json = base::to_json(box);          box = base::from_json<Box>(json);
//
// Types without a list of their own (numbers, texts, paths, times, enumerations) are known here. A member that is a
// std::optional is written only if it has a value.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

namespace base {

/// How a field is written and read: by its type, unless its list says otherwise.
struct ByType;
/// By its type, but only if it differs from T{}; missing, it is T{}.
struct IfSet;
/// As its own fields, beside those of its owner. A std::optional is there if the first of them is.
struct Among;

/// `get`: a pointer to the member, or an Inner.
template <class Get, class How = ByType>
struct Field {
    const char* name;
    Get get;
    How how{};
};
template <class Get>
Field(const char*, Get) -> Field<Get>;
template <class Get, class How>
Field(const char*, Get, How) -> Field<Get, How>;

/// A member of a member, for Field::get.
template <class Outer, class Member>
struct Inner {
    Outer outer;
    Member member;
    constexpr auto& operator()(auto& value) const { return value.*outer.*member; }
};
template <class Outer, class Member>
Inner(Outer, Member) -> Inner<Outer, Member>;

/// Specialised by a std::tuple of Fields for each struct that is sent or written.
template <class Struct>
inline constexpr auto fields = nullptr;
/// Specialised by an array for each enumeration that is written by name.
template <class Enumeration>
inline constexpr auto names = nullptr;

template <class T>
concept Listed = !std::is_same_v<decltype(fields<T>), const std::nullptr_t>;
template <class T>
concept Named = std::is_enum_v<T> && !std::is_same_v<decltype(names<T>), const std::nullptr_t>;

template <Named Enumeration>
constexpr std::string_view name_of(Enumeration value) {
    return names<Enumeration>[static_cast<size_t>(value)];
}
/// Throws std::out_of_range when no value has the name.
template <Named Enumeration>
Enumeration named(std::string_view name) {
    for (size_t i = 0; i < std::size(names<Enumeration>); ++i)
        if (names<Enumeration>[i] == name)
            return static_cast<Enumeration>(i);
    throw std::out_of_range("no value is named " + std::string(name));
}

template <class T>
nlohmann::json to_json(const T& value);
template <class T>
void read_json(const nlohmann::json& json, T& value);
template <class T>
T from_json(const nlohmann::json& json) {
    T value{};
    read_json(json, value);
    return value;
}

namespace detail {

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_time = false;
template <class Number, class Period>
inline constexpr bool is_time<std::chrono::duration<Number, Period>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

} // namespace detail

struct ByType {
    template <class T>
    nlohmann::json write(const T& value) const {
        return to_json(value);
    }
    template <class T>
    void read(const nlohmann::json& json, T& value) const {
        read_json(json, value);
    }
};

struct IfSet : ByType {};
struct Among {};

namespace detail {

template <class Member, class Get, class How>
void write(nlohmann::json& json, const Member& member, const Field<Get, How>& field) {
    if constexpr (is_optional<Member>) {
        if (member)
            write(json, *member, field);
    } else if constexpr (std::is_same_v<How, Among>) {
        json.update(to_json(member));
    } else if constexpr (std::is_same_v<How, IfSet>) {
        if (!(member == Member{}))
            json[field.name] = to_json(member);
    } else {
        json[field.name] = field.how.write(member);
    }
}

template <class Member, class Get, class How>
void read(const nlohmann::json& json, Member& member, const Field<Get, How>& field) {
    if constexpr (is_optional<Member>) {
        using Value = typename Member::value_type;
        std::string_view name = field.name;
        if constexpr (std::is_same_v<How, Among>)
            name = std::get<0>(fields<Value>).name;
        member.reset();
        if (json.contains(name))
            read(json, member.emplace(), field);
    } else if constexpr (std::is_same_v<How, Among>) {
        read_json(json, member);
    } else if constexpr (std::is_same_v<How, IfSet>) {
        member = json.contains(field.name) ? from_json<Member>(json.at(field.name)) : Member{};
    } else {
        field.how.read(json.at(field.name), member);
    }
}

} // namespace detail

template <class T>
nlohmann::json to_json(const T& value) {
    if constexpr (Listed<T>) {
        auto json = nlohmann::json::object();
        std::apply([&](const auto&... field) { (detail::write(json, std::invoke(field.get, value), field), ...); },
                   fields<T>);
        return json;
    } else if constexpr (detail::is_map<T>) {
        auto json = nlohmann::json::object();
        for (const auto& [name, item] : value)
            json[name] = to_json(item);
        return json;
    } else if constexpr (detail::is_list<T>) {
        auto json = nlohmann::json::array();
        for (const auto& item : value)
            json.push_back(to_json(item));
        return json;
    } else if constexpr (Named<T>) {
        return name_of(value);
    } else if constexpr (std::is_enum_v<T>) {
        return static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
        return value.string();
    } else if constexpr (detail::is_time<T>) {
        return value.count();
    } else {
        return value;
    }
}

template <class T>
void read_json(const nlohmann::json& json, T& value) {
    if constexpr (Listed<T>) {
        std::apply([&](const auto&... field) { (detail::read(json, std::invoke(field.get, value), field), ...); },
                   fields<T>);
    } else if constexpr (detail::is_map<T>) {
        value.clear();
        for (const auto& [name, item] : json.items())
            read_json(item, value[name]);
    } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
        json.get_to(value);
    } else if constexpr (detail::is_list<T>) {
        value.clear();
        for (const auto& item : json)
            read_json(item, value.emplace_back());
    } else if constexpr (Named<T>) {
        value = named<T>(json.get<std::string>());
    } else if constexpr (std::is_enum_v<T>) {
        value = static_cast<T>(json.get<std::underlying_type_t<T>>());
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
        value = json.get<std::string>();
    } else if constexpr (detail::is_time<T>) {
        value = T(json.get<typename T::rep>());
    } else {
        json.get_to(value);
    }
}

/// Calls f(std::string&) for each text in a value, however deep.
template <class T, class F>
void each_text(T& value, const F& f) {
    if constexpr (std::is_same_v<T, std::string>) {
        f(value);
    } else if constexpr (Listed<T>) {
        std::apply([&](const auto&... field) { (each_text(std::invoke(field.get, value), f), ...); }, fields<T>);
    } else if constexpr (detail::is_optional<T>) {
        if (value)
            each_text(*value, f);
    } else if constexpr (detail::is_list<T> && !std::is_same_v<T, std::vector<bool>>) {
        for (auto& item : value)
            each_text(item, f);
    }
}

} // namespace base
