# What a script calls, from shfmt's syntax tree: "function NAME" for each that it defines, and
# "call WORD..." for each call; "$" stands for what is only known when the script runs.
def text: [.Parts[]? | if .Type == "Lit" or .Type == "SglQuoted" then .Value // "" else "$" end]
  | join("") | gsub("\\s"; "_");
(.. | objects | select(.Type == "FuncDecl") | "function " + .Name.Value),
(.. | objects | select(.Type == "CallExpr" and (.Args | length) > 0) | "call " + ([.Args[] | text] | join(" ")))
