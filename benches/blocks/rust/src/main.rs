//! Writes the functions of Rust files, of more than one line: [path, first, last]. Reads paths, one on each line.

use std::io::{BufRead, stdin};

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

struct Finder<'a> {
    path: &'a str,
}

impl Finder<'_> {
    fn write(&self, span: Span) {
        let (first, last) = (span.start().line, span.end().line);
        if first < last {
            println!("[{:?}, {first}, {last}]", self.path);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.write(function.span());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.write(function.span());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if function.default.is_some() {
            self.write(function.span());
        }
        visit::visit_trait_item_fn(self, function);
    }
}

fn main() {
    for path in stdin().lock().lines().map_while(Result::ok) {
        let file = std::fs::read_to_string(&path).ok().and_then(|text| syn::parse_file(&text).ok());
        if let Some(file) = file {
            Finder { path: &path }.visit_file(&file);
        }
    }
}
