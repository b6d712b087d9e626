// gemini-cli's `read_file`: `node gemini_cli.mjs PACKAGE DIRECTORY`.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { serve } from "./answers.mjs";

const [root, directory] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${root}/dist/src/${name}`).href);
const { Config } = await load("config/config.js");
const { ReadFileTool } = await load("tools/read-file.js");
const config = new Config({
  sessionId: "1",
  targetDir: directory,
  cwd: directory,
  debugMode: false,
  model: "none",
  fileFiltering: { respectGitIgnore: true, respectGeminiIgnore: true },
});
const tool = new ReadFileTool(config, undefined);
const signal = new AbortController().signal;

await serve(JSON.parse(readFileSync(`${root}/package.json`, "utf8")).version, (given) =>
  tool.build(given).execute({ abortSignal: signal }),
);
