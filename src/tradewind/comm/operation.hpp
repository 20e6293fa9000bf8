/// A collective operation: its name, and the algorithm where none is named.
#pragma once

#include <string_view>

namespace tradewind {

struct Operation {
    std::string_view name;
    std::string_view default_algorithm;
};

}  // namespace tradewind
