// What a NIC still holds in a run in which nothing is left to happen.
#pragma once

#include <string>
#include <vector>

namespace nic {

class Nic;

/// A line each, empty if everything has come to its end: transactions without an answer, messages
/// that were to be sent again, pieces that wait for others, DMA channels that serve something. What
/// programs have made and not destroyed is not among it: Process::left().
std::vector<std::string> audit(Nic& nic);

}  // namespace nic
