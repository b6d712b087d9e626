// The client package of version 2 of the MCP SDK for TypeScript; the protocol of programs is in asking.py.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// Packages are installed elsewhere, in the working directory.
const { resolve } = createRequire(`${process.cwd()}/package.json`);
const load = (name) => import(pathToFileURL(resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const request = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const [command, ...args] = request.command;
const transport = request.url
  ? new StreamableHTTPClientTransport(new URL(request.url))
  : new StdioClientTransport({ command, args });

function item(block) {
  if (block.type === "text") return { text: block.text };
  if (block.type === "image") return { image: block.data, media_type: block.mimeType };
  return { other: block.type };
}

const client = new Client({ name: "clients", version: "1" });
await client.connect(transport);
const answers = {};
for (const [kind, call] of Object.entries(request.calls)) {
  const result = await client.callTool({ name: "read", arguments: call });
  answers[kind] = { is_error: result.isError === true, items: result.content.map(item) };
}
await client.close();
writeFileSync(process.argv[3], JSON.stringify(answers));
