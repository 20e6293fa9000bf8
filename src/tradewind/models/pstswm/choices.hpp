/// Choices: the algorithms of the Fourier and the Legendre transforms, from settings or from a
/// tuning.
#pragma once

#include "tradewind/comm/tuning/use.hpp"
#include "tradewind/models/pstswm/plan.hpp"

namespace tradewind::pstswm {

/// Names of the choices of `fft` and `legendre` in a tuning, by the ranks of a row and of a column
/// of the mesh. Their bytes are the average block of the transposition of the inverse transform.
inline constexpr std::string_view fft_choice = "pstswm.fft";
inline constexpr std::string_view legendre_choice = "pstswm.legendre";

/// The two settings, as given or as `method` implies them.
struct ChoiceWords {
    std::string fft;
    std::string legendre;
};
/// Reads the two settings. Throws ConfigError for an unknown method.
[[nodiscard]] ChoiceWords read_choice_words(const Settings& settings);
/// Returns the method of a choice of `fft`; "tuned" counts as a transposition.
[[nodiscard]] FftMethod fft_method_of(std::string_view fft);

/// Sets the algorithms of `plan`, whose grid, levels and mesh are known.
void read_choices(const Settings& settings, ChoiceWords words, ShallowWaterPlan& plan);

/// Returns the transforms that several ranks share.
[[nodiscard]] std::vector<OperationUse> operations(const Settings& settings, Rank ranks);
/// Returns every method of either transform, without PSTSWM's alternative names.
[[nodiscard]] std::vector<Way> ways();

}  // namespace tradewind::pstswm
