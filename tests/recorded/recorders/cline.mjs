// Answers of `read_files` of Cline's core, for `record.py`; pass a directory of npm packages.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const core = `${resolve(process.argv[2])}/node_modules/@cline/core`;
const { name, version, main } = JSON.parse(readFileSync(`${core}/package.json`, "utf8"));
const { createBuiltinTools } = await import(pathToFileURL(resolve(core, main)).href);
const print = console.log;
console.log = console.info = console.debug = console.error;
print(JSON.stringify({ [name]: version }));
for await (const line of createInterface({ input: process.stdin })) {
  const { directory, calls } = JSON.parse(line);
  process.chdir(directory);
  const tool = createBuiltinTools({ cwd: directory, enableReadFiles: true }).find((each) => each.name === "read_files");
  const answers = [];
  for (const call of calls) {
    try {
      answers.push({ content: await tool.execute(call, {}) });
    } catch (error) {
      answers.push({ is_error: true, content: error.message });
    }
  }
  print(JSON.stringify(answers));
}
process.exit(0);
