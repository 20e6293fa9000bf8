/// The table of sections.
#include "tradewind/simcomm/machine_settings.hpp"

namespace tradewind::simcomm {

std::span<const SectionEntry> machine_sections() {
    static constexpr SectionEntry sections[] = {{"link", given::link::all},
                                                {"switch", given::fabric::all},
                                                {"nic", given::nic::all},
                                                {"node", given::node::all},
                                                {"message", given::message::all},
                                                {"placement", given::placement::all},
                                                {"simulation", given::simulation::all}};
    return sections;
}

}  // namespace tradewind::simcomm
