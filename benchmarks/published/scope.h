// The variables that stand in a data file's texts, and what is repeated over them.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace published {

using Json = nlohmann::ordered_json;

/// Variables, each with a word of its own and, where the sets have such a word for it, fields:
/// {design} is "phase_one", {design.words} "phase one". A field may have variables in it, too, and
/// a name: {type.of_{ranks}}.
class Scope {
 public:
  /// `sets` has an object of words for each variable, and an object of fields for each word.
  explicit Scope(const Json& sets) : sets_(&sets) {}

  [[nodiscard]] Scope with(const std::string& variable, const std::string& word) const;

  /// `node` has an object "with" of variables, or nothing.
  [[nodiscard]] Scope with(const Json& node) const;

  /// The text with its variables filled in. What `other` knows (by the name between the braces)
  /// comes first.
  using Other = std::function<bool(const std::string& name, std::string& text)>;
  [[nodiscard]] std::string fill(const std::string& text, const Other& other = nullptr) const;

  /// Calls `each` for the node's object "for", variable by variable: the scope of every
  /// combination. Without one, once. A variable's values are a list, "1..20", or a field of another
  /// variable that is a list.
  void for_each(const Json& node, const std::function<void(const Scope&)>& each) const;

 private:
  [[nodiscard]] const Json* field(const std::string& path) const;
  [[nodiscard]] Json list_of(const Json& values) const;
  void nest(Json::const_iterator at, const Json& variables,
            const std::function<void(const Scope&)>& each) const;

  const Json* sets_;
  std::map<std::string, std::string> words_;
};

/// A string of a node, or a number as text; `otherwise` without it.
std::string text_at(const Json& node, const std::string& name, const std::string& otherwise = "");

}  // namespace published
