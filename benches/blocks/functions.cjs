// Writes the functions of scripts, of more than one line: [path, first, last]. Reads paths, one on each line.
// The documentation comment before a declaration belongs to it.
const fs = require('fs');
const ts = require(process.argv[2]);

for (const path of fs.readFileSync(0, 'utf8').split('\n')) {
  const file = ts.createSourceFile(path, fs.readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const line = (position) => file.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const first = line(node.getStart(file, true)), last = line(node.getEnd());
      if (line(node.getStart(file)) < last) console.log(JSON.stringify([path, first, last]));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}
