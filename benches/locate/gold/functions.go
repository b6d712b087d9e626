// The function declaration around a line, or the line: [path, line] in, [first, last] out, one JSON value a line.
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
	requests := bufio.NewScanner(os.Stdin)
	for requests.Scan() {
		var request [2]any
		if err := json.Unmarshal(requests.Bytes(), &request); err != nil {
			panic(err)
		}
		line := int(request[1].(float64))
		first, last := line, line
		files := token.NewFileSet()
		tree, err := parser.ParseFile(files, request[0].(string), nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		for _, declaration := range tree.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			from, to := files.Position(function.Pos()).Line, files.Position(function.End()).Line
			if from <= line && line <= to {
				first, last = from, to
			}
		}
		fmt.Printf("[%d,%d]\n", first, last)
	}
}
