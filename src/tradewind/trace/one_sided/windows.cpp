/// The accesses of windows by target and by slot.
#include "tradewind/trace/one_sided/windows.hpp"

#include <algorithm>

#include "tradewind/trace/call.hpp"

namespace tradewind::trace {

void ReplayWindow::take(std::span<const Rank> of, std::vector<Request>& requests,
                        std::vector<std::int64_t>& slots) {
    const auto stays = [&](const OpenAccess& one) {
        return !of.empty() && std::ranges::find(of, one.target) == of.end();
    };
    const auto first = std::stable_partition(open.begin(), open.end(), stays);
    for (auto one = first; one != open.end(); ++one) {
        requests.push_back(one->request);
        if (one->slot != none) slots.push_back(one->slot);
    }
    open.erase(first, open.end());
}

void ReplayWindows::add(std::int64_t window, std::int64_t comm) {
    windows_[window] = {};
    windows_[window].comm = comm;
    windows_[window].number = made_[comm]++;
}

ReplayWindow* ReplayWindows::find(std::int64_t window) {
    const auto found = windows_.find(window);
    return found == windows_.end() ? nullptr : &found->second;
}

void ReplayWindows::forget(Numbers slots) {
    for (auto& [number, window] : windows_) {
        std::erase_if(window.open, [slots](const OpenAccess& one) {
            return one.slot != none && std::ranges::find(slots, one.slot) != slots.end();
        });
    }
}

}  // namespace tradewind::trace
