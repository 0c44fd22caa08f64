// The table of calls, and what a call says of its arguments.
#include "apps/traces/dumpi/calls.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using dumpi::Call;
using dumpi::Label;
using dumpi::Value;

using Numbers = std::vector<std::int32_t>;

Call call_of(Label label, std::vector<Value> values) {
  Call call;
  call.label = label;
  call.values = std::move(values);
  return call;
}

TEST(Calls, AreFoundByNumberAndByName) {
  EXPECT_EQ(dumpi::layouts().size(), 291U);
  ASSERT_NE(dumpi::find_layout(std::uint16_t{0}), nullptr);
  EXPECT_EQ(dumpi::find_layout(std::uint16_t{0})->name(), "MPI_Send");
  EXPECT_EQ(dumpi::find_layout(std::uint16_t{171})->name(), "MPI_Init_thread");
  EXPECT_EQ(dumpi::find_layout("MPI_Alltoallv")->label(), Label{61});
  EXPECT_EQ(dumpi::layout_of(Label::Waitall).name(), "MPI_Waitall");
  EXPECT_EQ(dumpi::find_layout(std::uint16_t{289})->name(), "MPIO_Testsome");
  EXPECT_EQ(dumpi::find_layout("Function_enter")->label(), Label{291});
  // Every label has a row but MPI_Pcontrol, the number of labels, and the stream's end.
  for (std::uint16_t number = 0; number < 400; ++number) {
    const bool has_none = number == 128 || number == 290 || number > 292;
    EXPECT_EQ(dumpi::find_layout(number) == nullptr, has_none) << number;
  }
  for (const std::uint16_t number : {128, 290, 293, 65535}) {
    EXPECT_EQ(dumpi::find_layout(number), nullptr) << number;
  }
  EXPECT_EQ(dumpi::find_layout("MPI_Iallreduce"), nullptr);
  EXPECT_EQ(dumpi::find_layout("Send"), nullptr);
  EXPECT_THROW(dumpi::layout_of(Label{128}), std::logic_error);
}

TEST(Calls, HaveEachArrayBehindTheArgumentThatSaysItsLength) {
  for (const dumpi::Layout& layout : dumpi::layouts()) {
    for (std::size_t place = 0; place < layout.arguments().size(); ++place) {
      const dumpi::Argument& argument = layout.arguments()[place];
      if (argument.when == dumpi::When::at_root) {
        EXPECT_LT(layout.place_of("commrank").value_or(99), place) << layout.name();
        EXPECT_LT(layout.place_of("root").value_or(99), place) << layout.name();
      }
      if (*argument.length == '\0') continue;
      EXPECT_LT(layout.place_of(argument.length).value_or(99), place)
          << layout.name() << " " << argument.name;
    }
  }
}

TEST(Calls, GiveTheirArgumentsByName) {
  const Call wait = call_of(Label::Waitall, {2, Numbers{4, 5}, std::vector<dumpi::Status>{{7, 3}}});
  EXPECT_EQ(wait.number("count"), 2);
  ASSERT_EQ(wait.numbers("requests").size(), 2U);
  EXPECT_EQ(wait.numbers("requests")[1], 5);
  ASSERT_EQ(wait.statuses("statuses").size(), 1U);
  EXPECT_EQ(wait.statuses("statuses")[0].source, 3);
  const Call seek = call_of(Label::File_seek, {3, std::int64_t{1} << 40, 0});
  EXPECT_EQ(seek.number("file"), 3);
  EXPECT_EQ(seek.wide("offset"), std::int64_t{1} << 40);
  const Call name = call_of(Label::Comm_set_name, {4, std::string("rows")});
  EXPECT_EQ(name.text("name"), "rows");
  const Call range = call_of(Label::Group_range_incl, {3, 2, Numbers{0, 6, 2, 7, 9, 1}, 4});
  EXPECT_EQ(range.numbers("ranges")[5], 1);
  const Call spawn =
      call_of(Label::Comm_spawn_multiple, {3, 0, 0, 2, 4, 2, std::vector<std::string>{"a", "b"},
                                           std::vector<std::vector<std::string>>{{}, {"-x", "-y"}},
                                           Numbers{1, 2}, Numbers{1, 1}, Numbers{0, 0, 0}});
  EXPECT_EQ(dumpi::fault_of(spawn), "");
  EXPECT_EQ(spawn.lists("argvs")[1][1], "-y");
  EXPECT_EQ(spawn.numbers("errcodes").size(), 3U);
  const Call init = call_of(Label::Init, {std::vector<std::string>{"./a", "-x"}});
  EXPECT_EQ(init.strings("argv")[1], "-x");
}

TEST(Calls, RefuseArgumentsThatTheyDoNotHave) {
  const Call wait = call_of(Label::Waitall, {0, Numbers{}, std::vector<dumpi::Status>{}});
  EXPECT_THROW(wait.number("request"), std::logic_error);
  EXPECT_THROW(wait.number("requests"), std::logic_error);
  EXPECT_THROW(wait.numbers("statuses"), std::logic_error);
  EXPECT_THROW(wait.has("tag"), std::logic_error);
  EXPECT_THROW(wait.wide("count"), std::logic_error);
  EXPECT_THROW(wait.text("count"), std::logic_error);
  EXPECT_THROW(wait.lists("requests"), std::logic_error);
  const Call elsewhere = call_of(Label::Gather, {1, 8, 14, 0, 2, {}, {}});
  EXPECT_TRUE(elsewhere.has("sendcount"));
  EXPECT_FALSE(elsewhere.has("recvcount"));
  EXPECT_THROW(elsewhere.number("recvcount"), std::logic_error);
}

TEST(Calls, SayWhatIsWrongWithThem) {
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Send, {1, 9, 1, 0, 2})), "");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Send, {1, 9, 1, 0})), "MPI_Send: 4 values, must be 5");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Send, {1, 9, 1, 0, 65536})),
            "MPI_Send: comm 65536: must be 0 to 65535");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Allreduce, {1, 9, 256, 2})),
            "MPI_Allreduce: op 256: must be 0 to 255");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Allreduce, {1, -1, 3, 2})),
            "MPI_Allreduce: datatype -1: must be 0 to 65535");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Send, {1, 9, Numbers{1}, 0, 2})),
            "MPI_Send: dest is not of its kind");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Startall, {2, Numbers{4, 5, 6}})),
            "MPI_Startall: 3 requests, must be count = 2");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Startall, {-1, Numbers{}})),
            "MPI_Startall: 0 requests, must be count = -1");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Wait, {2, std::vector<dumpi::Status>(2)})),
            "MPI_Wait: 2 statuses, must be 1 or none");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Gather, {1, 8, 14, 0, 2, 8, {}})),
            "MPI_Gather: recvcount is there, must be at the root only");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Gather, {0, 8, 14, 0, 2, 8, {}})),
            "MPI_Gather: recvtype is not of its kind");
  EXPECT_EQ(
      dumpi::fault_of(call_of(Label::Type_struct, {1, Numbers{1}, Numbers{0}, Numbers{65536}, 30})),
      "MPI_Type_struct: oldtypes 65536: must be 0 to 65535");
  EXPECT_EQ(
      dumpi::fault_of(call_of(Label::Type_create_darray, {4, 0, 1, Numbers{8}, Numbers{-1},
                                                          Numbers{1}, Numbers{4}, 0, 14, 30})),
      "MPI_Type_create_darray: distributions -1: must be 0 to 255");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Group_range_excl, {3, 1, Numbers{1, 2}, 4})),
            "MPI_Group_range_excl: 2 numbers of ranges, must be 3 each");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::Group_range_excl, {3, 2, Numbers{1, 2, 1}, 4})),
            "MPI_Group_range_excl: 1 ranges, must be count = 2");
  EXPECT_EQ(dumpi::fault_of(call_of(Label::File_seek, {3, 7, 0})),
            "MPI_File_seek: offset is not of its kind");
  EXPECT_EQ(dumpi::fault_of(call_of(
                Label::Comm_spawn_multiple,
                {0, 0, 0, 2, 4, 1, std::vector<std::string>{},
                 std::vector<std::vector<std::string>>{{}}, Numbers{1}, Numbers{1}, Numbers{}})),
            "MPI_Comm_spawn_multiple: 0 commands, must be count = 1");
  Call without = call_of(Label::Wait, {2, std::vector<dumpi::Status>(1)});
  without.has_statuses = false;
  EXPECT_EQ(dumpi::fault_of(without), "MPI_Wait: has statuses, must have none");
  Call counted = call_of(Label::Wtime, {});
  counted.counters.resize(256);
  EXPECT_EQ(dumpi::fault_of(counted), "MPI_Wtime: 256 counters, must be at most 255");
}

}  // namespace
