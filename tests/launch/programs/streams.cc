// C++ streams, static objects, exceptions, dynamic_cast, locale: what needs libstdc++'s state.
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <sched.h>

namespace {

struct Base {
  virtual ~Base() = default;
  virtual int value() const { return 1; }
};
struct Derived : Base {
  int value() const override { return 2; }
};

struct Loud {
  explicit Loud(std::string text) : name(std::move(text)) { std::cout << "made " << name << '\n'; }
  ~Loud() { std::cout << "gone " << name << " " << count << '\n'; }
  std::string name;
  int count = 0;
};
Loud object("global");
std::map<std::string, int> words;

template <typename T>
struct Tally {
  static inline int count = 0;
};

Loud& local() {
  static Loud inner("local");
  return inner;
}

int fails(int depth) {
  if (depth == 0) throw std::out_of_range("deep");
  return fails(depth - 1) + 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::unique_ptr<Base> base = std::make_unique<Derived>();
  for (int i = 0; i < 3; ++i) {
    ++object.count;
    ++local().count;
    ++words["word"];
    ++Tally<int>::count;
    sched_yield();
  }
  try {
    fails(20);
  } catch (const std::exception& error) {
    std::cout << "caught " << error.what() << '\n';
  }
  std::ostringstream text;
  text << words["word"] << ' ' << Tally<int>::count << ' '
       << (dynamic_cast<Derived*>(base.get()) != nullptr);
  std::cout << text.str() << std::endl;
  if (argc == 2 && argv[1] == std::string("throw")) throw std::runtime_error("uncaught");
  return 0;
}
