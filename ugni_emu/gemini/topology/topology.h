// What a network's shape is to everything outside of this folder: routers, links, places, routes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/config/parameters.h"
#include "ugni_emu/gemini/topology/link_class.h"
#include "ugni_emu/gemini/topology/route_word.h"
#include "ugni_emu/gemini/topology/tile.h"

namespace gemini {

/// Number of a node, as in its host name nid00042; also its NIC's address.
using Nid = std::uint32_t;

/// Number of a router (a Gemini), from 0.
using RouterId = std::uint32_t;

/// A router's end of a link: the link that leaves it there, and the one that comes in.
struct Port {
  RouterId router = 0;
  std::uint8_t link = 0;  ///< which of the router's
  bool operator==(const Port&) const = default;
};

/// Where a node sits: its router, and which of that router's NICs is its own.
struct Place {
  RouterId router : 24;
  RouterId nic : 8;
  bool operator==(const Place&) const = default;
};

/// A network's shape. Immutable. Functions that every message calls read a table that the
/// shapes' constructors fill in; virtual ones are called when a network is built, or for a route.
class Topology {
 public:
  static constexpr Nid no_node = ~Nid{0};

  virtual ~Topology() = default;

  const std::string& name() const { return name_; }  ///< as users say it: CASTOR_SYSTEM
  RouterId routers() const { return sizes_.routers; }
  Nid nodes() const { return static_cast<Nid>(places_.size()); }
  unsigned links_per_router() const { return sizes_.links; }
  unsigned nics_per_router() const { return sizes_.nics; }

  bool contains(Nid nid) const { return nid < places_.size(); }
  /// `nid` must be one of the network's (contains()).
  Place place(Nid nid) const { return places_[nid]; }
  RouterId router_of(Nid nid) const { return places_[nid].router; }
  /// The inverse of place(); no_node where a NIC has none.
  Nid nid_at(RouterId router, unsigned nic) const { return nids_[router * sizes_.nics + nic]; }

  /// A router's coordinates, as many as the shape has dimensions.
  virtual std::vector<unsigned> position(RouterId router) const { return {router}; }
  /// What its coordinates are called, such as "x".
  virtual std::vector<std::string_view> position_names() const { return {"number"}; }
  /// What a router is called: "Gemini" in a torus.
  virtual std::string_view router_word() const { return "router"; }

  /// The other end of a link. A port without a link leads to itself.
  virtual Port far_end(Port port) const = 0;
  bool has_link(Port port) const { return far_end(port) != port; }
  /// Both directions of a link are of one class.
  virtual LinkClassId link_class(Port port) const = 0;
  const std::vector<LinkClass>& link_classes() const { return link_classes_; }
  virtual std::string_view link_name(unsigned link) const = 0;  ///< "X+"

  /// The router's tiles that make up a link at this end, whether or not anything is behind it. Tile
  /// k of a link meets tile k of its far end: tiles_of(port)[k] and tiles_of(far_end(port))[k].
  virtual std::span<const Tile> tiles_of(Port port) const = 0;
  /// The tiles of every router's host port. With those of its links they are all of its tiles.
  virtual std::span<const Tile> host_tiles() const = 0;

  /// The way of a request or a response; empty from a router to itself. It depends on both ends
  /// only.
  virtual RouteWord route(RouterId from, RouterId to) const = 0;
  /// The same over usable links only, which is route() where all of its links are; nothing: there
  /// is none. It needs no further class of buffers.
  using IsUsable = std::function<bool(Port)>;
  virtual std::optional<RouteWord> route_around(RouterId from, RouterId to,
                                                const IsUsable& usable) const;
  /// The same as the ports that it leaves by.
  std::vector<Port> path(RouterId from, RouterId to) const;
  /// Router-to-router hops between two nodes.
  unsigned hops(Nid from, Nid to) const { return route(router_of(from), router_of(to)).hops(); }
  /// No route has more hops.
  virtual unsigned diameter() const = 0;

  /// Classes of buffers that each virtual channel needs so that no circle of full buffers can
  /// come about.
  virtual unsigned buffer_classes() const = 0;
  /// The class of buffer that a packet takes behind `out`. `in`: the port by which it came to that
  /// router, nothing where a NIC sends it; `held`: the class of buffer that it has there.
  virtual unsigned buffer_class(Port out, std::optional<Port> in, unsigned held) const = 0;

  virtual std::string title() const = 0;     ///< "17x8x24 torus"
  virtual std::string routing() const = 0;   ///< "dimension-order routing"
  virtual std::string describe() const = 0;  ///< title, preset, routers and nodes

  /// Parameters that belong to the preset. To be put before the user's own settings in
  /// read_parameters(), so that the user's win.
  virtual std::vector<corespec::Setting> preset_settings() const { return {}; }

 protected:
  struct Sizes {
    RouterId routers = 0;
    unsigned links = 0;  ///< of a router, with or without a link behind it
    unsigned nics = 0;   ///< of a router
    Nid nodes = 0;       ///< 0: as many as NICs
  };

  /// set_place() is to be called for every node.
  Topology(std::string name, Sizes sizes, std::vector<LinkClass> link_classes);
  Topology(const Topology&) = default;
  Topology& operator=(const Topology&) = default;

  void set_place(Nid nid, Place place);

 private:
  std::string name_;
  Sizes sizes_;
  std::vector<LinkClass> link_classes_;
  std::vector<Place> places_;  ///< by nid
  std::vector<Nid> nids_;      ///< by router and NIC
};

}  // namespace gemini
