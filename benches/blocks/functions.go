// Writes the functions of Go files, of more than one line: [path, first, last]. Reads paths, one on each line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		path := lines.Text()
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		if err != nil {
			continue
		}
		line := func(at token.Pos) int { return files.Position(at).Line }
		ast.Inspect(file, func(node ast.Node) bool {
			first := token.NoPos
			switch function := node.(type) {
			case *ast.FuncDecl:
				first = function.Pos()
				if function.Doc != nil {
					first = function.Doc.Pos()
				}
			case *ast.FuncLit:
				first = function.Pos()
			}
			if first != token.NoPos && line(node.Pos()) < line(node.End()) {
				text, _ := json.Marshal([]any{path, line(first), line(node.End())})
				fmt.Println(string(text))
			}
			return true
		})
	}
}
