// The variables that stand in a data file's texts, and what is repeated over them.
#include "benchmarks/published/scope.h"

#include <fmt/format.h>

#include <cstdlib>

#include "benchmarks/published/values.h"

namespace published {
namespace {

std::string as_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The brace that closes the one at `open`.
std::size_t closing(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    if (depth == 0) return at;
  }
  return std::string::npos;
}

}  // namespace

std::string text_at(const Json& node, const std::string& name, const std::string& otherwise) {
  const auto found = node.find(name);
  return found == node.end() ? otherwise : as_text(*found);
}

Scope Scope::with(const std::string& variable, const std::string& word) const {
  Scope inner = *this;
  inner.words_[variable] = word;
  return inner;
}

Scope Scope::with(const Json& node) const {
  Scope inner = *this;
  const auto found = node.find("with");
  if (found == node.end()) return inner;
  for (const auto& [variable, word] : found->items()) {
    inner.words_[variable] = fill(as_text(word));
  }
  return inner;
}

const Json* Scope::field(const std::string& path) const {
  const std::size_t dot = path.find('.');
  const std::string variable = path.substr(0, dot);
  const auto word = words_.find(variable);
  if (dot == std::string::npos || word == words_.end()) return nullptr;
  const auto set = sets_->find(variable);
  if (set == sets_->end()) return nullptr;
  const auto fields = set->find(word->second);
  if (fields == set->end()) return nullptr;
  const auto found = fields->find(path.substr(dot + 1));
  return found == fields->end() ? nullptr : &*found;
}

std::string Scope::fill(const std::string& text, const Other& other) const {
  std::string out;
  std::size_t at = 0;
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', at)) {
    const std::size_t close = closing(text, open);
    if (close == std::string::npos) break;
    out += text.substr(at, open - at);
    const std::string name = fill(text.substr(open + 1, close - open - 1));
    std::string found;
    if (other && other(name, found)) {
      out += found;
    } else if (const Json* const value = field(name)) {
      out += fill(as_text(*value), other);
    } else if (const auto word = words_.find(name); word != words_.end()) {
      out += word->second;
    } else {
      throw DataError(fmt::format("there is no {{{}}} for: {}", name, text));
    }
    at = close + 1;
  }
  return out + text.substr(at);
}

Json Scope::list_of(const Json& values) const {
  if (values.is_array()) return values;
  const std::string text = as_text(values);
  if (const Json* const found = field(text)) return *found;
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) throw DataError(fmt::format("for: {} is no list", text));
  Json list = Json::array();
  const int last = std::atoi(text.c_str() + dots + 2);
  for (int each = std::atoi(text.c_str()); each <= last; ++each) list.push_back(each);
  return list;
}

void Scope::nest(Json::const_iterator at, const Json& variables,
                 const std::function<void(const Scope&)>& each) const {
  if (at == variables.end()) {
    each(*this);
    return;
  }
  const std::string variable = at.key();
  const Json list = list_of(at.value());
  ++at;
  for (const Json& word : list) with(variable, fill(as_text(word))).nest(at, variables, each);
}

void Scope::for_each(const Json& node, const std::function<void(const Scope&)>& each) const {
  const auto variables = node.find("for");
  if (variables == node.end()) {
    each(*this);
  } else {
    nest(variables->begin(), *variables, each);
  }
}

}  // namespace published
