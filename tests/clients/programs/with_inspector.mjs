// The command line of MCP Inspector; the protocol of programs is in asking.py.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

const request = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const [command, ...args] = request.command;
const server = request.url
  ? { type: "streamable-http", url: request.url }
  : { type: "stdio", command, args };
const home = mkdtempSync(join(tmpdir(), "inspector-"));
const configuration = join(home, "servers.json");
writeFileSync(configuration, JSON.stringify({ mcpServers: { anyread: server } }));

function item(block) {
  if (block.type === "text") return { text: block.text };
  if (block.type === "image") return { image: block.data, media_type: block.mimeType };
  return { other: block.type };
}

const answers = {};
for (const [kind, call] of Object.entries(request.calls)) {
  const output = join(home, `${kind}.json`);
  const options = ["--cli", "--config", configuration, "--server", "anyread", "--quiet", "--output", output];
  const method = ["--method", "tools/call", "--tool-name", "read", "--tool-args-json", JSON.stringify(call)];
  try {
    execFileSync(process.execPath, [INSPECTOR, ...options, ...method], {
      env: { ...process.env, HOME: home },
    });
  } catch (error) {
    // It exits with a status of its own if a tool reports an error, and writes the result as usual.
    if (kind !== "error") throw error;
  }
  const result = JSON.parse(readFileSync(output, "utf-8"));
  answers[kind] = { is_error: result.isError === true, items: result.content.map(item) };
}
writeFileSync(process.argv[3], JSON.stringify(answers));
rmSync(home, { recursive: true });
