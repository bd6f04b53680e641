package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOneLoopStamps: the start of an operation is assigned in one function of
// the whole module, so that no workload can time less or more than another.
func TestOneLoopStamps(t *testing.T) {
	var found []string
	walk(t, func(path string, f *ast.File) {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && stampsOperation(fn) {
				found = append(found, path+": "+fn.Name.Name)
			}
		}
	})
	want := []string{"internal/engine/worker.go: perform"}
	if !slices.Equal(found, want) {
		t.Errorf("operations are stamped in %q, want only in %q", found, want)
	}
}

// stampsOperation reports whether fn assigns Start of something called op
// from a clock.
func stampsOperation(fn *ast.FuncDecl) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, left := range assign.Lhs {
			sel, ok := left.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Start" || i >= len(assign.Rhs) {
				continue
			}
			if name, ok := sel.X.(*ast.Ident); ok && name.Name == "op" && callsNow(assign.Rhs[i]) {
				found = true
			}
		}
		return true
	})
	return found
}

func callsNow(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Now"
}

// TestLibrariesDoNotExit: the process ends in cmd/bench alone.
func TestLibrariesDoNotExit(t *testing.T) {
	walk(t, func(path string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if ok && pkg.Name == "os" && sel.Sel.Name == "Exit" && !strings.HasPrefix(path, "cmd/bench/") {
				t.Errorf("%s calls os.Exit", path)
			}
			return true
		})
	})
}

// walk parses every file of the module that is no test.
func walk(t *testing.T, fn func(path string, f *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		fn(filepath.ToSlash(rel), f)
		return err
	})
	if err != nil {
		t.Fatalf("walk the module: %v", err)
	}
}
