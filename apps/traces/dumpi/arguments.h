// The arguments that calls.def names. MPI's functions have them under the same or a like name.
#pragma once

#include "apps/traces/dumpi/calls.h"

namespace dumpi::arguments {

constexpr Argument number(const char* name) { return {name}; }
constexpr Argument of(Kind kind, const char* name) { return {name, kind}; }
/// An array, and the argument before it that says its length.
constexpr Argument array(const char* name, const char* length) {
  return {name, Kind::numbers, length};
}
constexpr Argument array(Kind kind, const char* name, const char* length) {
  return {name, kind, length};
}
/// Only the root's record has it.
constexpr Argument at_root(Argument argument) {
  argument.when = When::at_root;
  return argument;
}

constexpr Argument count = number("count"), dest = number("dest"), tag = number("tag"),
                   source = number("source"), size = number("size"), flag = number("flag"),
                   index = number("index"), outcount = number("outcount"),
                   sendcount = number("sendcount"), sendtag = number("sendtag"),
                   recvcount = number("recvcount"), recvtag = number("recvtag"),
                   blocklength = number("blocklength"), stride = number("stride"),
                   address = number("address"), extent = number("extent"), lb = number("lb"),
                   ub = number("ub"), elements = number("elements"), incount = number("incount"),
                   position = number("position"), newposition = number("newposition"),
                   root = number("root"), commrank = number("commrank"),
                   commsize = number("commsize"), commute = number("commute"),
                   rank = number("rank"), color = number("color"), key = number("key"),
                   localleader = number("localleader"), remoteleader = number("remoteleader"),
                   high = number("high"), ndim = number("ndim"), reorder = number("reorder"),
                   nodes = number("nodes"), edgecount = number("edgecount"),
                   nodecount = number("nodecount"), maxindex = number("maxindex"),
                   maxedges = number("maxedges"), maxdims = number("maxdims"),
                   neighborcount = number("neighborcount"), maxneighbors = number("maxneighbors"),
                   direction = number("direction"), displacement = number("displacement"),
                   newrank = number("newrank"), resultlen = number("resultlen"),
                   version = number("version"), subversion = number("subversion"),
                   errorcode = number("errorcode"), errorclass = number("errorclass"),
                   fd = number("fd"), maxprocs = number("maxprocs"), totprocs = number("totprocs"),
                   origincount = number("origincount"), targetrank = number("targetrank"),
                   targetdisp = number("targetdisp"), targetcount = number("targetcount"),
                   dispunit = number("dispunit"), numdatatypes = number("numdatatypes"),
                   numaddresses = number("numaddresses"), numintegers = number("numintegers"),
                   maxintegers = number("maxintegers"), maxaddresses = number("maxaddresses"),
                   maxdatatypes = number("maxdatatypes"), valuelength = number("valuelength"),
                   nkeys = number("nkeys"), nth = number("nth"), insize = number("insize");
constexpr Argument comm = of(Kind::comm, "comm"), comm1 = of(Kind::comm, "comm1"),
                   comm2 = of(Kind::comm, "comm2"), oldcomm = of(Kind::comm, "oldcomm"),
                   newcomm = of(Kind::comm, "newcomm"), localcomm = of(Kind::comm, "localcomm"),
                   remotecomm = of(Kind::comm, "remotecomm"), parent = of(Kind::comm, "parent");
constexpr Argument datatype = of(Kind::datatype, "datatype"),
                   sendtype = of(Kind::datatype, "sendtype"),
                   recvtype = of(Kind::datatype, "recvtype"),
                   oldtype = of(Kind::datatype, "oldtype"), newtype = of(Kind::datatype, "newtype"),
                   origintype = of(Kind::datatype, "origintype"),
                   targettype = of(Kind::datatype, "targettype"),
                   intype = of(Kind::datatype, "intype"), hosttype = of(Kind::datatype, "hosttype"),
                   filetype = of(Kind::datatype, "filetype");
constexpr Argument group = of(Kind::group, "group"), group1 = of(Kind::group, "group1"),
                   group2 = of(Kind::group, "group2"), newgroup = of(Kind::group, "newgroup");
constexpr Argument info = of(Kind::info, "info"), oldinfo = of(Kind::info, "oldinfo"),
                   newinfo = of(Kind::info, "newinfo");
constexpr Argument win = of(Kind::win, "win");
constexpr Argument op = of(Kind::op, "op");
constexpr Argument errhandler = of(Kind::errhandler, "errhandler");
constexpr Argument keyval = of(Kind::keyval, "keyval");
constexpr Argument file = of(Kind::file, "file");
constexpr Argument comparison = of(Kind::word, "comparison"), topology = of(Kind::word, "topology"),
                   assertion = of(Kind::word, "assertion"), locktype = of(Kind::word, "locktype"),
                   required = of(Kind::word, "required"), provided = of(Kind::word, "provided"),
                   supported = of(Kind::word, "supported"), combiner = of(Kind::word, "combiner"),
                   typeclass = of(Kind::word, "typeclass"), order = of(Kind::word, "order"),
                   amode = of(Kind::word, "amode"), whence = of(Kind::word, "whence");
constexpr Argument filesize = of(Kind::wide, "filesize"), offset = of(Kind::wide, "offset"),
                   bytes = of(Kind::wide, "bytes"), function = of(Kind::wide, "function");
constexpr Argument name = of(Kind::text, "name"), errorstring = of(Kind::text, "errorstring"),
                   portname = of(Kind::text, "portname"), command = of(Kind::text, "command"),
                   servicename = of(Kind::text, "servicename"), infokey = of(Kind::text, "infokey"),
                   infovalue = of(Kind::text, "infovalue"), datarep = of(Kind::text, "datarep"),
                   filename = of(Kind::text, "filename");
constexpr Argument indices = array("indices", ""), blocklengths = array("blocklengths", "count"),
                   displacements = array("displacements", "count"),
                   recvcounts = array("recvcounts", "commsize"),
                   displs = array("displs", "commsize"),
                   sendcounts = array("sendcounts", "commsize"),
                   senddispls = array("senddispls", "commsize"),
                   recvdispls = array("recvdispls", "commsize"), ranks1 = array("ranks1", "count"),
                   ranks2 = array("ranks2", "count"), ranks = array("ranks", "count"),
                   dims = array("dims", "ndim"), periods = array("periods", "ndim"),
                   newdims = array("newdims", "ndim"), nodeindex = array("nodeindex", "nodecount"),
                   edges = array("edges", "edgecount"), coords = array("coords", "ndim"),
                   neighbors = array("neighbors", "neighborcount"),
                   remaindims = array("remaindims", "ndim"),
                   errcodes = array("errcodes", "maxprocs"),
                   maxprocs_of_each = array("maxprocs", "count"),
                   errcodes_of_all = array("errcodes", "totprocs"),
                   arrintegers = array("arrintegers", "numintegers"),
                   arraddresses = array("arraddresses", "numaddresses"),
                   gsizes = array("gsizes", "ndim"), dargs = array("dargs", "ndim"),
                   psizes = array("psizes", "ndim"), sizes = array("sizes", "ndim"),
                   subsizes = array("subsizes", "ndim"), starts = array("starts", "ndim");
constexpr Argument ranges = array(Kind::ranges, "ranges", "count");
constexpr Argument oldtypes = array(Kind::datatypes, "oldtypes", "count"),
                   sendtypes = array(Kind::datatypes, "sendtypes", "commsize"),
                   recvtypes = array(Kind::datatypes, "recvtypes", "commsize"),
                   arrdatatypes = array(Kind::datatypes, "arrdatatypes", "numdatatypes");
constexpr Argument infos = array(Kind::infos, "infos", "count");
constexpr Argument distributions = array(Kind::words, "distributions", "ndim");
constexpr Argument request = of(Kind::request, "request"),
                   requests = array(Kind::requests, "requests", "count");
constexpr Argument status = of(Kind::status, "status"), statuses = of(Kind::statuses, "statuses");
constexpr Argument argv = of(Kind::strings, "argv"),
                   commands = array(Kind::strings, "commands", "count"),
                   argvs = array(Kind::lists, "argvs", "count");

}  // namespace dumpi::arguments
