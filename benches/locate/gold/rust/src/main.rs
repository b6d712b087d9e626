//! The innermost function around a line, or the line: `[path, line]` in, `[first, last]` out, one JSON value a line.

use std::io::BufRead;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

struct Search {
    line: usize,
    best: (usize, usize),
}

impl Search {
    fn offer(&mut self, node: &impl Spanned) {
        let (first, last) = (node.span().start().line, node.span().end().line);
        if first <= self.line && self.line <= last {
            self.best = (first, last);
        }
    }
}

impl<'ast> Visit<'ast> for Search {
    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.offer(node);
        visit::visit_item_fn(self, node);
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.offer(node);
        visit::visit_impl_item_fn(self, node);
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        self.offer(node);
        visit::visit_trait_item_fn(self, node);
    }
}

fn main() {
    for request in std::io::stdin().lock().lines() {
        let (path, line): (String, usize) = serde_json::from_str(&request.unwrap()).unwrap();
        let mut search = Search { line, best: (line, line) };
        if let Ok(tree) = syn::parse_file(&std::fs::read_to_string(&path).unwrap()) {
            search.visit_file(&tree);
        }
        println!("[{},{}]", search.best.0, search.best.1);
    }
}
