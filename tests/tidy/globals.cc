// The rule against mutable globals: a light reading of declarations, scope by scope.
//
// It knows just enough C++: which braces open a namespace, a type, a function or an initialiser,
// and what a variable's declaration looks like. Everything it is not sure of passes.
#include <regex>

#include "tests/tidy/rules.h"

namespace tidy {
namespace {

enum class Scope { space, type, function, initialiser };

/// Removes balanced pairs of `open` and `close` with what they hold.
std::string without_pairs(const std::string& text, char open, char close) {
  std::string result;
  int depth = 0;
  for (const char c : text) {
    if (c == open) ++depth;
    if (depth == 0) result += c;
    if (c == close && depth > 0) --depth;
  }
  return result;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// A declaration without attributes, alignment, access specifiers and template arguments.
std::string plain(std::string text) {
  static const std::regex noise(
      R"(\[\[[^\]]*\]\]|\balignas\s*\([^)]*\)|__attribute__\s*\(\([^)]*\)\)|)"
      R"(\b(?:public|private|protected)\s*:)");
  static const std::regex space(R"(\s+)");
  text = std::regex_replace(std::regex_replace(text, noise, " "), space, " ");
  return trimmed(without_pairs(text, '<', '>'));
}

bool has_word(const std::string& text, const char* words) {
  return std::regex_search(text, std::regex("\\b(?:" + std::string(words) + ")\\b"));
}

/// What a brace opens, given the statement before it.
Scope classify(const std::string& statement, bool in_parentheses) {
  static const std::regex space(R"(^(?:inline\s+)?namespace\b|^extern\s*"[^"]*"$)");
  static const std::regex callable(
      R"([)\]]\s*(?:(?:const|noexcept|override|final|mutable|try|&&?|->[\s\w:<>*&,]+)\s*)*$)");
  static const std::regex block(R"(^$|:$|\b(?:do|else|try)$)");
  const std::string text = trimmed(statement);
  if (std::regex_search(text, space)) return Scope::space;
  if (std::regex_search(text, block) || std::regex_search(text, callable)) return Scope::function;
  if (in_parentheses) return Scope::initialiser;
  const std::string bare = plain(text);
  const bool parentheses = bare.find('(') != std::string::npos;
  const bool assigned = bare.find('=') != std::string::npos;
  if (has_word(bare, "class|struct|union|enum") && !parentheses && !assigned) return Scope::type;
  if (parentheses && !assigned && !has_word(bare, "return")) return Scope::function;
  return Scope::initialiser;
}

/// True if the declared object itself cannot change.
bool is_constant(const std::string& declaration) {
  static const std::regex constant_pointer(R"(\*\s*const\b)");
  const std::string head = declaration.substr(0, declaration.find('='));
  if (has_word(head, "constexpr")) return true;
  if (head.find('*') != std::string::npos) return std::regex_search(head, constant_pointer);
  return has_word(head, "const");
}

/// True if a statement of namespace scope, or a static one, declares a variable.
bool declares_variable(const std::string& declaration, Scope scope) {
  static const std::regex other(
      R"(^(?:using|typedef|template|friend|static_assert|namespace|extern|asm|__asm__|concept)\b)");
  static const std::regex forward(R"(^(?:(?:enum\s+)?(?:class|struct)|union|enum)\b[^{}]*$)");
  static const std::regex type_only(R"(^(?:typedef\s+)?(?:class|struct|union|enum)\b.*\{\}$)");
  static const std::regex type_and_name(R"([\w>*&\]}]\s+[*&]*\w+|[*&]\s*\w+)");
  const std::string head = trimmed(declaration.substr(0, declaration.find('=')));
  if (head.empty() || std::regex_search(head, other)) return false;
  if (std::regex_search(head, type_only)) return false;
  const bool has_initialiser = head.size() < trimmed(declaration).size();
  if (!has_initialiser && std::regex_search(head, forward)) {
    static const std::regex two_names(
        R"(^(?:class|struct|union|enum(?!\s+(?:class|struct)))\s+\w+[\s*&]+\w+)");
    return std::regex_search(head, two_names);
  }
  // Outside functions, parentheses make a function, or leave it unsure.
  if (head.find('(') != std::string::npos && scope != Scope::function) return false;
  return std::regex_search(head, type_and_name);
}

/// Walks through one file's code.
class Reader {
 public:
  explicit Reader(const SourceFile& file) : file_(file), code_(without_directives(file.code)) {}

  std::vector<Finding> read() {
    for (position_ = 0; position_ < code_.size(); ++position_) step(code_[position_]);
    return std::move(findings_);
  }

 private:
  struct Frame {
    Scope scope;
    std::string statement;  ///< what stood before the brace
    int parentheses;
  };

  Scope scope() const { return frames_.empty() ? Scope::space : frames_.back().scope; }

  void step(char c) {
    if (c == '(') ++parentheses_;
    if (c == ')' && parentheses_ > 0) --parentheses_;
    if (c == '{') {
      open();
    } else if (c == '}') {
      close();
    } else if (c == ';' && parentheses_ == 0) {
      if (scope() != Scope::initialiser) judge();
      statement_.clear();
    } else {
      statement_ += c;
    }
  }

  void open() {
    frames_.push_back({classify(statement_, parentheses_ > 0), statement_, parentheses_});
    statement_.clear();
    parentheses_ = 0;
  }

  void close() {
    statement_.clear();
    if (frames_.empty()) return;
    const Frame frame = frames_.back();
    frames_.pop_back();
    parentheses_ = frame.parentheses;
    const bool continues =
        frame.scope == Scope::initialiser || frame.scope == Scope::type || frame.parentheses > 0;
    if (continues) statement_ = frame.statement + "{}";
  }

  void judge() {
    const std::string declaration = plain(statement_);
    if (has_word(declaration, "thread_local|__thread")) {
      report("thread_local", declaration);
      return;
    }
    const bool is_static = has_word(declaration, "static");
    if (scope() != Scope::space && !is_static) return;
    if (declares_variable(declaration, scope()) && !is_constant(declaration)) {
      report("globals", declaration);
    }
  }

  void report(const char* rule, const std::string& declaration) {
    findings_.push_back({rule, file_.path, line_of(code_, position_), declaration});
  }

  const SourceFile& file_;
  std::string code_;
  std::string statement_;
  std::vector<Frame> frames_;
  std::vector<Finding> findings_;
  std::size_t position_ = 0;
  int parentheses_ = 0;
};

}  // namespace

std::vector<Finding> check_globals(const SourceFile& file) {
  if (!is_code(file.path) || !(file.path.find(".def") == std::string::npos)) return {};
  return Reader(file).read();
}

}  // namespace tidy
