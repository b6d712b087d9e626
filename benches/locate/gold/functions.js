// The innermost function around a line, or the line: [path, line] in, [first, last] out, one JSON value a line.
const ts = require('typescript'), fs = require('fs');
for (const request of fs.readFileSync(0, 'utf8').trim().split('\n')) {
  const [path, line] = JSON.parse(request);
  const source = ts.createSourceFile(path, fs.readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const lineOf = position => source.getLineAndCharacterOfPosition(position).line + 1;
  let best = null;
  const visit = node => {
    const first = lineOf(node.getStart()), last = lineOf(node.getEnd());
    if (first > line || line > last) return;
    if (ts.isFunctionLike(node) && node.body && last > first) best = [first, last];
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  console.log(JSON.stringify(best || [line, line]));
}
