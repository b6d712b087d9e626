// pi's `read`: `node pi.mjs PACKAGE DIRECTORY`. What draws the tool in a terminal is replaced.
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { pathToFileURL } from "node:url";
import { serve } from "./answers.mjs";

const [root, directory] = process.argv.slice(2);
const replaced = `
const replaced = {
  "./renderers/read.js": "export const readRenderers = {};",
  "@earendil-works/pi-tui": "export const getCapabilities = () => ({}); export const setImageTranscoder = () => {};",
  "./tool-definition-wrapper.js": "export const wrapToolDefinition = (tool) => tool;",
};
export const resolve = (name, context, next) =>
  name in replaced
    ? { url: "data:text/javascript," + encodeURIComponent(replaced[name]), shortCircuit: true }
    : next(name, context);
`;
register(`data:text/javascript,${encodeURIComponent(replaced)}`);
const { createReadToolDefinition } = await import(pathToFileURL(`${root}/dist/core/tools/read.js`).href);
const tool = createReadToolDefinition(directory);

await serve(JSON.parse(readFileSync(`${root}/package.json`, "utf8")).version, async (given) => {
  try {
    return await tool.execute("1", given);
  } catch (error) {
    return { is_error: true, error: error.message };
  }
});
