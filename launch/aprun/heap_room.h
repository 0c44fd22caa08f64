// The heap of a job of many ranks.
#pragma once

namespace launch {

/// Where the host lets programs ask for huge pages: has the heap that `ranks` ranks of this process
/// are going to need consist of them. Thousands of ranks leave every cache, the one for addresses
/// too. Nothing for small jobs. To be called before the heap is in use.
void prepare_heap(int ranks);

}  // namespace launch
