// The protocol of `answers.py`, for tools in JavaScript. A request with `whole` gets the answer, however long it is.
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

const KEPT_CHARACTERS = 100_000;
const print = console.log;
// Only replies go to the standard output.
console.log = console.info = console.debug = console.error;

const reply = (message) => print(JSON.stringify(message));

function* leaves(value, place) {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* leaves(item, `${place}[${index}]`);
  } else if (value !== null && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) if (item !== undefined) yield* leaves(item, `${place}.${key}`);
  } else {
    const data = Buffer.from(typeof value === "string" ? value : JSON.stringify(value) ?? "null", "utf8");
    yield [place, [data.length, createHash("sha256").update(data).digest("hex").slice(0, 16)]];
  }
}

function described(answer) {
  const found = Object.fromEntries(leaves(answer, ""));
  const characters = Object.values(found).reduce((sum, [length]) => sum + length, 0);
  return { leaves: found, characters, answer: characters <= KEPT_CHARACTERS ? answer : null };
}

async function timed(call, { arguments: given, rounds, seconds }) {
  const times = [];
  const end = performance.now() + seconds * 1e3;
  while (times.length < rounds && (times.length === 0 || performance.now() < end)) {
    const started = process.hrtime.bigint();
    await call(given);
    times.push(Number(process.hrtime.bigint() - started));
  }
  return times;
}

export async function serve(version, call) {
  reply({ version });
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    try {
      if (request.rounds) {
        reply({ ns: await timed(call, request) });
        continue;
      }
      const started = process.hrtime.bigint();
      const answer = await call(request.arguments);
      reply({ ns: [Number(process.hrtime.bigint() - started)] });
      reply(request.whole ? { answer } : described(answer));
    } catch (error) {
      reply({ raised: String(error).slice(0, 500) });
    }
  }
}
