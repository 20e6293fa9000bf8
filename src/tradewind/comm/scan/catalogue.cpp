/// The table of scan algorithms.
#include "tradewind/comm/catalogue.hpp"

#include "tradewind/comm/scan/scan.hpp"

namespace tradewind {

#define ALGORITHM(entry) extern const ScanAlgorithm entry;
#include "tradewind/comm/scan/algorithms.def"
#undef ALGORITHM

std::span<const ScanAlgorithm> scan_algorithms() {
#define ALGORITHM(entry) entry,
    static const ScanAlgorithm table[] = {
#include "tradewind/comm/scan/algorithms.def"
    };
#undef ALGORITHM
    return table;
}

const ScanAlgorithm& scan_algorithm(std::string_view name) {
    return find_algorithm(scan_algorithms(), scan_operation.name, name);
}

}  // namespace tradewind
