// The heap that a job's libraries share: huge pages where ranks are many.
#pragma once

namespace launch {

/// Where the host lets programs ask for huge pages: has the heap that the libraries of `ranks`
/// ranks are going to need consist of them. Thousands of ranks leave every cache, the one for
/// addresses too. Nothing for small jobs. To be called before the heap is in use.
void prepare_heap(int ranks);

}  // namespace launch
