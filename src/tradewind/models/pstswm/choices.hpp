/// Choices: which algorithms make the Fourier and the Legendre transforms, from settings or a
/// tuning.
#pragma once

#include "tradewind/comm/tuning/use.hpp"
#include "tradewind/models/pstswm/plan.hpp"

namespace tradewind::pstswm {

/// The choices of `fft` and `legendre` in a tuning, by the ranks of a row and of a column of the
/// mesh. Bytes are those of a block of the transposition of the inverse transform, on average.
inline constexpr std::string_view fft_choice = "pstswm.fft";
inline constexpr std::string_view legendre_choice = "pstswm.legendre";

/// The two settings, as given or as `method` has them.
struct ChoiceWords {
    std::string fft;
    std::string legendre;
};
/// Throws ConfigError for an unknown method.
[[nodiscard]] ChoiceWords read_choice_words(const Settings& settings);
/// "tuned" counts as a transposition.
[[nodiscard]] FftMethod fft_method_of(std::string_view fft);

/// Sets the algorithms of `plan`, whose grid, levels and mesh are known.
void read_choices(const Settings& settings, ChoiceWords words, Plan& plan);

/// The transforms that ranks share.
[[nodiscard]] std::vector<OperationUse> operations(const Settings& settings, Rank ranks);
/// Every way to make either transform; PSTSWM's second names are left out.
[[nodiscard]] std::vector<Way> ways();

}  // namespace tradewind::pstswm
