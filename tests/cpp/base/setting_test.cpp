/// Declarations of settings: values, defaults and what is refused.
#include "tradewind/base/setting.hpp"

#include <cmath>

#include "testing.hpp"

using namespace tradewind;

namespace {

enum class Colour : std::uint8_t { red, green };

constexpr auto count = declare::whole("count", "a count", 3).within(1, 10);
constexpr auto needed = declare::whole("needed", "a count without default").within(1, 10);
constexpr auto share = declare::real("share", "a share", 0.5).within(0, 1);
constexpr auto is_on = declare::truth("is_on", "a truth value", true);
constexpr auto name = declare::word("name", "a name", "nobody");
constexpr auto colour =
    declare::one_of<Colour>("colour", "a colour", {{"red", Colour::red}, {"green", Colour::green}});
constexpr auto extents = declare::whole_list("extents", "two extents", 2);
constexpr const Declaration* all[] = {&count, &needed, &share, &is_on, &name, &colour, &extents};

std::string complaint(const std::string& key, Settings::Value value, const auto& setting) {
    try {
        (void)setting.of(Settings({{key, std::move(value)}}));
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a declared setting has the given value, or its default") {
    const Settings none;
    CHECK_EQ(count.of(none), 3);
    CHECK_EQ(count.of(none, 7), 7);
    CHECK_EQ(share.of(none), 0.5);
    CHECK(is_on.of(none));
    CHECK_EQ(name.of(none), std::string("nobody"));
    CHECK(colour.of(none) == Colour::red);
    CHECK(!extents.find(none).has_value());
    const Settings given({{"count", std::int64_t{10}},
                          {"share", std::int64_t{1}},
                          {"is_on", false},
                          {"name", std::string("somebody")},
                          {"colour", std::string("green")},
                          {"extents", std::vector<std::int64_t>{4, 5}}});
    CHECK_EQ(count.of(given), 10);
    CHECK_EQ(share.of(given), 1.0);
    CHECK(!is_on.of(given));
    CHECK_EQ(name.of(given), std::string("somebody"));
    CHECK(colour.of(given) == Colour::green);
    CHECK(extents.of(given) == std::vector<std::int64_t>{4, 5});
}

TEST_CASE("values that are not allowed are refused with what is") {
    CHECK_EQ(complaint("count", std::int64_t{11}, count), "count = 11 is not in 1..10");
    CHECK_EQ(complaint("count", 2.5, count), "setting \"count\" has the wrong type");
    CHECK_EQ(complaint("other", std::int64_t{1}, needed), "setting \"needed\" is missing");
    CHECK_EQ(complaint("share", 1.5, share), "share = 1.5 is not in 0..1");
    CHECK_EQ(complaint("share", std::nan(""), share), "share = nan is not in 0..1");
    CHECK_EQ(complaint("colour", std::string("blue"), colour),
             "colour = \"blue\" is unknown; known are: red, green");
    CHECK_EQ(complaint("extents", std::vector<std::int64_t>{4}, extents),
             "extents = [4] is not a list of 2 numbers in 1..1073741824");
}

TEST_CASE("keys that no schema declares are refused with those that are known") {
    const Settings settings({{"size", std::int64_t{1}}});
    try {
        refuse_unknown("program", settings, {all});
        CHECK(false);
    } catch (const ConfigError& error) {
        CHECK_EQ(std::string(error.what()),
                 "program: unknown setting \"size\"; known are: count, needed, share, is_on, name, "
                 "colour, extents");
    }
}
