/// Settings read from words: types of values, errors.
#include "tradewind/base/settings_text.hpp"

#include "testing.hpp"

using namespace tradewind;

namespace {

std::string complaint(const std::vector<std::string>& words) {
    try {
        (void)read_settings(words);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("a word becomes a setting of the type that it looks like") {
    const std::vector<std::string> words{"grid=[64,-3,7]", "empty=[]", "radix=4",
                                         "flops=1.5e3",    "name=a=b", "backward=true"};
    const Settings settings = read_settings(words);
    using List = std::vector<std::int64_t>;
    CHECK(settings.need<List>("grid") == List{64, -3, 7});
    CHECK(settings.need<List>("empty").empty());
    CHECK_EQ(settings.need<std::int64_t>("radix"), 4);
    CHECK_EQ(settings.need<double>("flops"), 1500.0);
    CHECK_EQ(settings.need<std::string>("name"), std::string("a=b"));
    CHECK(settings.need<bool>("backward"));
    CHECK_EQ(settings.values().size(), words.size());
}

TEST_CASE("a word that is no setting is refused and named") {
    for (const std::string word : {"radix", "=4", "grid=[1,x]", "grid=[1,,2]"}) {
        const std::string what = complaint({"a=1", word});
        CAPTURE(word, what);
        CHECK(what.find(word.substr(word.find('[') == std::string::npos ? 0 : 5)) !=
              std::string::npos);
    }
}
