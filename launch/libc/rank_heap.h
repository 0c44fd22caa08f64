// A rank's own heap: where its memory lies is a function of its own calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace launch {

/// One rank's. Blocks come from two pieces of addresses that are the rank's alone: a small one,
/// which lies between those of its neighbours, since most ranks of a large job need little, and a
/// large one far from all others. Both grow as they are used, and what was freed is used again; a
/// block's place depends on the rank's earlier calls and on nothing else.
class RankHeap {
 public:
  struct Piece {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
  };
  RankHeap(const Piece& small, const Piece& large);
  RankHeap(const RankHeap&) = delete;
  RankHeap& operator=(const RankHeap&) = delete;

  /// `alignment` is a power of two. Null if the rank's addresses do not suffice.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  /// Zeroed.
  void* allocate_zeroed(std::size_t bytes);
  void free(void* block);
  /// The block with another size, at its place if there is room. Null if it cannot be had; it is as
  /// it was then.
  void* resize(void* block, std::size_t bytes);
  /// What the block has room for.
  std::size_t size(const void* block);

 private:
  /// A piece, in use from its beginning on as far as it was needed.
  class Part {
   public:
    explicit Part(const Piece& piece) : piece_(piece) {}
    bool holds(const void* block) const {
      const auto* const at = static_cast<const std::byte*>(block);
      return at >= piece_.begin && at < piece_.begin + piece_.bytes;
    }
    void* allocate(std::size_t bytes, std::size_t alignment);
    void free(void* block);
    /// False if there is no room at its place.
    bool resize_in_place(void* block, std::size_t bytes);
    std::size_t size(const void* block) const;

   private:
    class Algorithm;  ///< stands at the piece's beginning
    Algorithm& algorithm() const { return *reinterpret_cast<Algorithm*>(piece_.begin); }
    void* take(std::size_t bytes, std::size_t alignment);
    bool grow(std::size_t bytes);

    Piece piece_;
    bool begun_ = false;
  };

  /// Freed blocks of a few bytes by size, the last one first: most are taken again before long.
  struct Lists {
    struct Freed {
      Freed* next;
    };
    static constexpr std::size_t sorts = 64;
    static constexpr std::size_t step = 16;
    static constexpr std::size_t word = 8;  ///< blocks have so many bytes more than whole steps
    /// The least blocks that have room for so many bytes.
    static std::size_t sort_for(std::size_t bytes);
    /// True of blocks of so many bytes that they keep.
    static bool have(std::size_t size) { return (size - word) / step < sorts; }
    void* take(std::size_t bytes);
    /// False if such blocks are not kept.
    bool keep(void* block, std::size_t size);
    Freed* first[sorts];
  };

  /// A block that was in no list.
  void* cut(std::size_t bytes, std::size_t alignment);
  Part& part_of(const void* block) { return small_.holds(block) ? small_ : large_; }

  Lists* lists_ = nullptr;  ///< made for the first block
  Part small_;
  Part large_;
};

/// The heaps of all ranks, in a range of addresses that is the same in every process: so free()
/// knows a rank's block, and its rank, by the address.
namespace rank_heaps {

inline constexpr std::uintptr_t first_address =
    (std::uintptr_t{1} << 45) + (std::uintptr_t{1} << 42);
inline constexpr std::size_t range_bytes = std::size_t{44} << 40;

/// True of a block that a rank's heap has given.
inline bool hold(const void* block) {
  return reinterpret_cast<std::uintptr_t>(block) - first_address < range_bytes;
}

/// False where a sanitizer has a malloc of its own: the heaps stay unused.
bool are_used();
/// Makes heaps for `ranks` ranks, once in a process, which keeps them to its end. False if the host
/// does not give such a range of addresses.
bool reserve(int ranks);
/// After reserve() only.
RankHeap& of(int rank);
/// Of a block that they hold.
RankHeap& owner(const void* block);
/// True of code of libc's and the dynamic loader's: what these allocate for themselves, at some
/// rank's first call, all ranks share.
bool serve_all(const void* caller);

}  // namespace rank_heaps

}  // namespace launch
