// A queue of segments, linked through the segments themselves.
#pragma once

namespace gemini {

/// First in, first out, through Segment::next() and set_next().
template <typename Segment>
class SegmentQueue {
 public:
  bool empty() const { return first_ == nullptr; }
  Segment* front() const { return first_; }
  void push(Segment& segment) {
    segment.set_next(nullptr);
    if (first_ == nullptr) {
      first_ = &segment;
    } else {
      last_->set_next(&segment);
    }
    last_ = &segment;
  }
  Segment& pop() {
    Segment& segment = *first_;
    first_ = segment.next();
    return segment;
  }

 private:
  Segment* first_ = nullptr;
  Segment* last_ = nullptr;
};

}  // namespace gemini
