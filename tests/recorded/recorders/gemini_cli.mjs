// Answers of gemini-cli's `read_file`, for `record.py`; pass the directory of `@google/gemini-cli-core`.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const base = `${process.argv[2]}/dist/src`;
const load = (name) => import(pathToFileURL(`${base}/${name}`).href);
const { Config } = await load("config/config.js");
const { ReadFileTool } = await load("tools/read-file.js");
// Only the answers go to the standard output.
const print = console.log;
console.log = console.info = console.debug = console.error;

const { name, version } = JSON.parse(readFileSync(`${process.argv[2]}/package.json`, "utf8"));
print(JSON.stringify({ [name]: version }));
for await (const line of createInterface({ input: process.stdin })) {
  const { directory, calls, settings } = JSON.parse(line);
  const respect = settings?.respect_ignore_files ?? true;
  const config = new Config({
    sessionId: "1",
    targetDir: directory,
    cwd: directory,
    debugMode: false,
    model: "none",
    fileFiltering: { respectGitIgnore: respect, respectGeminiIgnore: respect },
  });
  if (settings?.temp_directory) config.storage.getProjectTempDir = () => settings.temp_directory.replace("${DIR}", directory);
  const tool = new ReadFileTool(config, undefined);
  const answers = [];
  for (const call of calls) {
    try {
      answers.push(await tool.build(call).execute({ abortSignal: new AbortController().signal }));
    } catch (error) {
      answers.push({ is_error: true, error: error.message });
    }
  }
  print(JSON.stringify(answers));
}
