// What a program knows of its time zone before and after one call, which its argument names.
#include <time.h>
#include <wchar.h>

#include <cstdio>
#include <functional>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>

namespace {

void print_zone(const char* when) {
  std::printf(" %s %ld %d %s %s", when, timezone, daylight, tzname[0], tzname[1]);
}

}  // namespace

int main(int, char** arguments) {
  const time_t day = 200 * 86400;
  tm date{};
  date.tm_mday = 1;
  date.tm_year = 111;
  char text[100];
  wchar_t wide_text[100];
  const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::map<std::string, std::function<void()>> calls = {
      {"tzset", [] { tzset(); }},
      {"localtime", [&] { localtime(&day); }},
      {"localtime_r", [&] { localtime_r(&day, &date); }},
      {"gmtime", [&] { gmtime(&day); }},
      {"gmtime_r", [&] { gmtime_r(&day, &date); }},
      {"ctime", [&] { ctime(&day); }},
      {"ctime_r", [&] { ctime_r(&day, text); }},
      {"mktime", [&] { mktime(&date); }},
      {"timelocal", [&] { timelocal(&date); }},
      {"timegm", [&] { timegm(&date); }},
      {"strftime", [&] { strftime(text, sizeof text, "%Z", &date); }},
      {"strftime_l", [&] { strftime_l(text, sizeof text, "%Z", &date, locale); }},
      {"wcsftime", [&] { wcsftime(wide_text, 100, L"%Z", &date); }},
      {"wcsftime_l", [&] { wcsftime_l(wide_text, 100, L"%Z", &date, locale); }},
      {"put_time", [&] { std::ostringstream() << std::put_time(&date, "%Z"); }},
      {"wide_put_time", [&] { std::wostringstream() << std::put_time(&date, L"%Z"); }},
  };
  std::printf("%s", arguments[1]);
  print_zone("before");
  calls.at(arguments[1])();
  print_zone("after");
  std::puts("");
  return 0;
}
