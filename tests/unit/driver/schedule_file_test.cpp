#include "driver/schedule/schedule_file.h"

#include <gtest/gtest.h>

namespace tilewire::driver {
namespace {

Schedule sample() {
  Schedule schedule;
  schedule.kind = "race";
  schedule.ranks = 2;
  schedule.cores = 3;
  schedule.entry = "main";
  schedule.program = std::string(64, 'a');
  schedule.constants = {"N=4"};
  schedule.shapes = {"x=4x16:FP32"};
  schedule.inputs = {"n=8"};
  schedule.seed = 1;
  schedule.dimension = 2;
  schedule.dimensions = {{"M", 129}, {"N", 0}};
  schedule.told = "rank 0 in `k`, line 3, writes; then rank 1 in `k`, line 4, reads; nothing orders the two";
  schedule.agents = {{{0, 0, -1, 0}, "chip"}, {{1, 0, 0, 2}, "k"}};
  schedule.steps = {
      {.agent = 0, .event = ScheduleEvent::Start, .cell = ""},
      {.agent = 0,
       .event = ScheduleEvent::Submit,
       .line = 9,
       .column = 5,
       .end_line = 10,
       .end_column = 2,
       .cell = ""},
      {.agent = 1, .event = ScheduleEvent::Notify, .line = 4, .column = 7, .cell = "s[0]", .cell_rank = 1},
      {.agent = 1,
       .event = ScheduleEvent::Test,
       .line = 5,
       .column = 7,
       .cell = "s[1]",
       .cell_rank = 0,
       .held = false},
      {.agent = 1, .event = ScheduleEvent::Access, .line = 6, .column = 7, .cell = ""},
      {.agent = 1, .event = ScheduleEvent::End, .cell = ""},
  };
  return schedule;
}

TEST(ScheduleFile, IsReadAsItWasWritten) {
  Diagnostics diags;
  auto read = read_schedule(write_schedule(sample()), "s.json", diags);
  ASSERT_TRUE(read) << diags.text();
  EXPECT_EQ(*read, sample());
  Schedule strange = sample();
  strange.entry.clear();
  strange.told = "`\" \\ </script> \xff";  // a name from a program that is not UTF-8
  EXPECT_TRUE(read_schedule(write_schedule(strange), "s.json", diags) || diags.has_errors());
}

TEST(ScheduleFile, OfSeveralCalls) {
  Schedule schedule = sample();
  schedule.calls = 2;
  schedule.agents.push_back({{1, 0, 0, 2, 1}, "k"});
  schedule.steps.push_back({.agent = 2, .event = ScheduleEvent::Start, .cell = ""});
  Diagnostics diags;
  auto read = read_schedule(write_schedule(schedule), "s.json", diags);
  ASSERT_TRUE(read) << diags.text();
  EXPECT_EQ(*read, schedule);
  EXPECT_EQ(text_of(*read, read->steps.back()), "rank 1 in `k`, block 2, call 2: start");
  const Schedule first = part_of_call(schedule, 0), second = part_of_call(schedule, 1);
  EXPECT_EQ(first.agents, sample().agents);
  EXPECT_EQ(first.steps, sample().steps);
  EXPECT_EQ(first.kind, "");  // it comes to its end
  ASSERT_EQ(second.steps.size(), 1u);
  EXPECT_EQ(second.agents.at(second.steps[0].agent).key, (AgentKey{1, 0, 0, 2}));
  EXPECT_EQ(second.kind, "race");
  schedule.calls = 1;
  EXPECT_FALSE(read_schedule(write_schedule(schedule), "s.json", diags));
  EXPECT_EQ(diags.all().at(0).message, "`s.json`: `agents[2].call` must be at most 0, got 1");
}

std::string refused(std::string text) {
  Diagnostics diags;
  EXPECT_FALSE(read_schedule(text, "s.json", diags));
  EXPECT_EQ(diags.all().size(), 1u);
  return diags.all().empty() ? "" : diags.all()[0].message;
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = write_schedule(sample());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return refused(text.replace(at, from.size(), to));
}

TEST(ScheduleFile, EveryPrefixIsRefused) {
  const std::string text = write_schedule(sample());
  for (size_t size = 0; size + 2 < text.size(); ++size) {
    Diagnostics diags;
    ASSERT_FALSE(read_schedule(text.substr(0, size), "s.json", diags)) << size;
    ASSERT_EQ(diags.all().size(), 1u);
  }
  EXPECT_EQ(refused(text.substr(0, text.size() / 2)), "`s.json` is not JSON: it ends too early");
}

TEST(ScheduleFile, SaysWhatIsWrong) {
  EXPECT_EQ(refused("{}"), "`s.json` lacks the key `version`");
  EXPECT_EQ(changed("\"version\":2", "\"version\":1"), "`s.json`: `version` must be at least 2, got 1");
  EXPECT_EQ(changed("\"ranks\":2", "\"ranks\":0"), "`s.json`: `ranks` must be at least 1, got 0");
  EXPECT_EQ(changed("\"ranks\":2", "\"ranks\":\"2\""), "`s.json`: `ranks` must be an integer, got \"2\"");
  EXPECT_EQ(changed("aaaa\"", "aaaz\""),
            "`s.json`: `program` must be a digest of 64 digits, got "
            "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...");
  EXPECT_EQ(changed("\"rank\":1", "\"rank\":2"), "`s.json`: `agents[1].rank` must be at most 1, got 2");
  EXPECT_EQ(changed("\"rank\":1,\"dispatch\":0,\"task\":0,\"block\":2",
                    "\"rank\":0,\"dispatch\":0,\"task\":-1,\"block\":0"),
            "`s.json`: `agents[1]` must be another agent than those before it, got "
            "{\"block\":0,\"dispatch\":0,\"function\":\"k...");
  EXPECT_EQ(changed("\"task\":-1,\"block\":0", "\"task\":-1,\"block\":1"),
            "`s.json`: `agents[0].block` must be 0 where the task is -1, got 1");
  EXPECT_EQ(changed("\"agent\":1", "\"agent\":7"), "`s.json`: `steps[2].agent` must be at most 1, got 7");
  EXPECT_EQ(changed("\"do\":\"notify\"", "\"do\":\"notfy\""),
            "`s.json`: `steps[2].do` must be start, submit, notify, wait, test, look, update, issue, land, "
            "end or access, got \"notfy\"");
  EXPECT_EQ(changed("\"cell\":\"s[0]\",", ""), "`s.json` lacks the key `steps[2].cell`");
  EXPECT_EQ(changed("\"held\":false", "\"held\":0"),
            "`s.json`: `steps[3].held` must be true or false, got 0");
  EXPECT_EQ(changed("\"M=129\"", "\"M\""), "`s.json`: `dimensions[0]` must be NAME=EXTENT, got \"M\"");
  EXPECT_EQ(changed("\"M=129\"", "\"M=-1\""), "`s.json`: `dimensions[0]` must be NAME=EXTENT, got \"M=-1\"");
  EXPECT_EQ(changed("\"steps\"", "\"stops\""), "`s.json` lacks the key `steps`");
}

TEST(ScheduleFile, UpdatesOfTensorsThatAreNoWindows) {
  Schedule schedule = sample();
  ScheduleStep& step = schedule.steps[3];
  step.event = ScheduleEvent::Update;
  step.cell.clear();
  step.cell_rank = 0;
  Diagnostics diags;
  std::optional<Schedule> same = read_schedule(write_schedule(schedule), "s.json", diags);
  ASSERT_TRUE(same) << diags.text();
  EXPECT_EQ(*same, schedule);
}

TEST(ScheduleFile, MissingFiles) {
  Diagnostics diags;
  EXPECT_FALSE(read_schedule_file("/no/such/schedule", diags));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].message,
            "cannot read the schedule `/no/such/schedule`: No such file or directory");
  EXPECT_FALSE(read_schedule_file("/", diags));
}

TEST(ScheduleFile, StepsInWords) {
  const Schedule schedule = sample();
  EXPECT_EQ(text_of(schedule, schedule.steps[0]), "rank 0 in `chip`: start");
  EXPECT_EQ(text_of(schedule, schedule.steps[2]),
            "rank 1 in `k`, block 2, line 4: notify of `s[0]` on rank 1");
  EXPECT_EQ(text_of(schedule, schedule.steps[3]), "rank 1 in `k`, block 2, line 5: test at `s[1]` on rank 0");
}

}  // namespace
}  // namespace tilewire::driver
