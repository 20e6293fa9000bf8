/// Algorithms by name, their own options, and the choices of a tuning.
#include "tradewind/models/pstswm/choices.hpp"

#include <algorithm>

#include "tradewind/comm/tuning/read_algorithm.hpp"
#include "tradewind/models/pstswm/settings.hpp"

namespace tradewind::pstswm {

namespace {

struct Alias {
    std::string_view of_pstswm;
    std::string_view here;
};
/// Names of worley1998, section 6.
constexpr Alias aliases[] = {
    {"srtrans", "ring"},         {"swtrans", "pairwise"},
    {"logtrans", "bruck"},       {"exchsum", "recursive_doubling"},
    {"halfsum", "rabenseifner"}, {"ringsum", "ring"},
};

std::string_view resolved(std::string_view name) {
    const auto found = std::ranges::find(aliases, name, &Alias::of_pstswm);
    return found == std::end(aliases) ? name : found->here;
}

/// One of PSTSWM's combinations of algorithms for the Fourier and the Legendre transforms.
struct TransformMethods {
    std::string_view name;
    std::string_view fft;
    std::string_view legendre;
};
constexpr TransformMethods methods[] = {
    {"transpose", "ring", "transpose"},
    {"DTH", "ring", "sum"},
    {"DR", "dfft", "ringpipe"},
    {tuned, tuned, tuned},
};

/// Returns the entry called `name` of a table whose entries have names. `what` is the setting.
template <class Table>
[[nodiscard]] const auto& entry(const Table& table, std::string_view what, std::string_view name) {
    std::string known;
    for (const auto& one : table) {
        if (one.name == name) return one;
        known += text(known.empty() ? "" : ", ", one.name);
    }
    throw ConfigError(text("pstswm: ", what, " = \"", name, "\" is unknown; known are: ", known));
}

struct LegendreEntry {
    std::string_view name;
    LegendreMethod method;
};
constexpr LegendreEntry legendre_methods[] = {
    {"transpose", LegendreMethod::transpose},
    {"sum", LegendreMethod::sum},
    {"ringpipe", LegendreMethod::ring},
};

/// Returns the settings with the options of one choice in place of those for all.
[[nodiscard]] Settings with_options(const Settings& settings, const ChoiceText& parts) {
    Settings result = settings;
    for (const auto& [key, value] : parts.settings.values()) result.set(key, value);
    return result;
}

template <class Algorithm>
[[nodiscard]] Choice<Algorithm> read_one(const Settings& settings,
                                         const Algorithm& (*find)(std::string_view name),
                                         std::string_view words) {
    const ChoiceText parts = read_choice(words);
    const Algorithm& algorithm = find(resolved(parts.name));
    if (parts.settings.has("radix") && algorithm.smallest_radix == 0)
        throw ConfigError(text(algorithm.name, " has no radix"));
    return {&algorithm, read_options(with_options(settings, parts), algorithm)};
}

[[nodiscard]] AlltoallvChoice read_transpose(const Settings& settings, std::string_view words) {
    return read_one(settings, alltoallv_algorithm, words);
}

/// The options of a method without an algorithm.
constexpr const Declaration* means[] = {&options::protocol, &options::transport};

/// Returns protocol and transport of a method that has no other option.
[[nodiscard]] Options read_means(const Settings& settings, const ChoiceText& parts) {
    for (const auto& [key, value] : parts.settings.values()) {
        if (std::ranges::find(means, key, &Declaration::key) == std::end(means))
            throw ConfigError(text("pstswm: ", parts.name, " has no ", key));
    }
    return read_any_options(with_options(settings, parts), "pstswm");
}

void read_fft(const Settings& settings, const std::string& words, ShallowWaterPlan& plan) {
    plan.fft_method = fft_method_of(words);
    if (plan.fft_method == FftMethod::distributed) {
        plan.dfft_options = read_means(settings, read_choice(words));
    } else {
        plan.fft = read_transpose(settings, words);
    }
}

/// Reads `legendre`: METHOD, METHOD.ALGORITHM, or ringpipe:protocol=...
void read_legendre(const Settings& settings, const std::string& words, ShallowWaterPlan& plan) {
    const auto end = words.find_first_of(".:");
    plan.legendre = entry(legendre_methods, "legendre", words.substr(0, end)).method;
    const bool is_ring = plan.legendre == LegendreMethod::ring;
    const bool is_sum = plan.legendre == LegendreMethod::sum;
    std::string transpose = given::legendre_alltoallv.of(settings);
    std::string sum = given::legendre_allreduce.of(settings);
    if (end != std::string::npos && (words[end] == '.') == is_ring) {
        throw ConfigError(text("pstswm: legendre = \"", words,
                               "\": expected transpose.ALGORITHM, sum.ALGORITHM or "
                               "ringpipe:protocol=..."));
    }
    if (end != std::string::npos && !is_ring) (is_sum ? sum : transpose) = words.substr(end + 1);
    plan.ring_options = read_means(settings, is_ring ? read_choice(words) : ChoiceText{});
    plan.legendre_transpose = read_transpose(settings, transpose);
    plan.legendre_sum = read_one(settings, allreduce_algorithm, sum);
}

/// Returns the average bytes of a block of either transposition of the inverse transform.
[[nodiscard]] Bytes fft_block(const ShallowWaterPlan& plan) {
    const double numbers = double(plan.inverse_fields() * plan.levels) * double(plan.longitudes) *
                           double(plan.latitudes);
    const auto px = double(plan.mesh.px);
    return Bytes(double(sizeof(double)) * numbers / (double(plan.mesh.py) * px * px));
}

[[nodiscard]] Bytes legendre_block(const ShallowWaterPlan& plan) {
    const double numbers = 2.0 * double(plan.inverse_fields() * plan.levels) *
                           double(plan.truncation + 1) * double(plan.latitudes);
    const auto py = double(plan.mesh.py);
    return Bytes(double(sizeof(double)) * numbers / (double(plan.mesh.px) * py * py));
}

}  // namespace

ChoiceWords read_choice_words(const Settings& settings) {
    const TransformMethods& method =
        entry(methods, "method", given::method.of(settings, "transpose"));
    return {given::fft.of(settings, std::string(method.fft)),
            given::legendre.of(settings, std::string(method.legendre))};
}

FftMethod fft_method_of(std::string_view fft) {
    return fft.substr(0, fft.find(':')) == "dfft" ? FftMethod::distributed : FftMethod::transpose;
}

void read_choices(const Settings& settings, ChoiceWords words, ShallowWaterPlan& plan) {
    std::optional<Tuning> tuning;
    if (words.fft == tuned || words.legendre == tuned) tuning = need_tuning(settings);
    const auto [px, py] = plan.mesh;
    // A transform that is local to each rank has no algorithm to choose.
    if (words.fft == tuned)
        words.fft = px > 1 ? tuning->pick(fft_choice, px, fft_block(plan)).choice : "ring";
    if (words.legendre == tuned) {
        words.legendre =
            py > 1 ? tuning->pick(legendre_choice, py, legendre_block(plan)).choice : "transpose";
    }
    read_fft(settings, words.fft, plan);
    read_legendre(settings, words.legendre, plan);
}

std::vector<OperationUse> operations(const Settings& settings, Rank ranks) {
    const ShallowWaterPlan plan = make_plan(settings, ranks);
    const std::int64_t steps = plan.steps + (plan.starts_under_way ? 0 : 1);
    const auto [px, py] = plan.mesh;
    std::vector<OperationUse> uses;
    if (px > 1) uses.push_back({std::string(fft_choice), px, fft_block(plan), "", steps, "fft"});
    if (py > 1) {
        uses.push_back(
            {std::string(legendre_choice), py, legendre_block(plan), "", steps, "legendre"});
    }
    return uses;
}

std::vector<Way> ways() {
    const std::string fft(fft_choice);
    const std::string legendre(legendre_choice);
    std::vector<Way> all;
    const TransformMethods& usual = methods[0];
    const std::string transposition =
        text(usual.legendre, ".", given::legendre_alltoallv.standard());
    std::vector<Declaration> own_options;
    for (const Declaration* const option : means) own_options.push_back(*option);
    add_ways(alltoallv_algorithms(), fft, "", usual.fft, all);
    all.push_back({fft, "dfft", own_options, "dfft"});
    add_ways(alltoallv_algorithms(), legendre, "transpose.", transposition, all);
    add_ways(allreduce_algorithms(), legendre, "sum.", transposition, all);
    all.push_back({legendre, "ringpipe", own_options, "ringpipe"});
    std::erase_if(all, [](const Way& way) {
        const std::string_view name(way.name);
        const std::string_view last = name.substr(name.rfind('.') + 1);
        return resolved(last) != last;
    });
    return all;
}

}  // namespace tradewind::pstswm
