// Answers of pi's `read`, for `record.py`; pass a directory of packages.
//
// Not all packages that pi requires are published, so `npm install typebox@1.3.27 cross-spawn
// @silvia-odwyer/photon-node@0.3.4`, unpack `npm pack @earendil-works/pi-coding-agent` into `node_modules`, and
// pass the directory of that package. What draws the tool in a terminal is replaced. The validator, which its agent loop
// calls before the tool, is in one of the package's chunks.
import { readFileSync, readdirSync } from "node:fs";
import { register } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const stubs = `
const stubs = {
  "./renderers/read.js": "export const readRenderers = {};",
  "@earendil-works/pi-tui": "export const getCapabilities = () => ({}); export const setImageTranscoder = () => {};",
  "./tool-definition-wrapper.js": "export const wrapToolDefinition = (tool) => tool;",
};
export const resolve = (name, context, next) =>
  name in stubs ? { url: "data:text/javascript," + encodeURIComponent(stubs[name]), shortCircuit: true } : next(name, context);
`;
register(`data:text/javascript,${encodeURIComponent(stubs)}`);
const { createReadToolDefinition } = await import(pathToFileURL(`${process.argv[2]}/dist/core/tools/read.js`).href);
const chunks = `${process.argv[2]}/dist/bundle/chunks`;
const chunk = readdirSync(chunks).find((name) => /export\{[^}]*\bvalidateToolArguments\b/.test(readFileSync(`${chunks}/${name}`, "utf8")));
const { validateToolArguments } = await import(pathToFileURL(`${chunks}/${chunk}`).href);

const { name, version } = JSON.parse(readFileSync(`${process.argv[2]}/package.json`, "utf8"));
console.log(JSON.stringify({ [name]: version }));
for await (const line of createInterface({ input: process.stdin })) {
  const { directory, calls, model, settings } = JSON.parse(line);
  const tool = createReadToolDefinition(directory);
  const context = model ? { model: { id: settings?.model_id, input: model.inputs } } : undefined;
  const answers = [];
  for (const call of calls) {
    try {
      answers.push(await tool.execute("1", validateToolArguments(tool, { name: "read", arguments: call }), undefined, undefined, context));
    } catch (error) {
      answers.push({ is_error: true, error: error.message });
    }
  }
  // Through a pipe, `exit` would cut what is not written yet.
  await new Promise((written) => process.stdout.write(`${JSON.stringify(answers)}\n`, written));
}
process.exit(0);
