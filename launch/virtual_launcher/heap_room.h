// The heap of a job: huge pages where ranks are many, and the same layout in every surrounding.
#pragma once

namespace launch {

/// Where the host lets programs ask for huge pages: has the heap that `ranks` ranks of this process
/// are going to need consist of them. Thousands of ranks leave every cache, the one for addresses
/// too. Nothing for small jobs. To be called before the heap is in use.
void prepare_heap(int ranks);

/// From now on where the heap's memory comes from does not depend on what was in it before: paths,
/// the environment, options. (Which buffers lie where others have lain decides what a registration
/// cache finds, and so virtual times.) What is free within the heap stays unused. To be called
/// before ranks begin.
void settle_heap(int ranks);

}  // namespace launch
