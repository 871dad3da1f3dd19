import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { TYPE_STRIPPING } from "#repository";
import { splitCores } from "./cores.ts";

const split = splitCores();

/** Runs a module that has `confineThisProcess`, with Node.js, and reads what it prints as JSON. */
function printedBy(script: string): unknown {
  const cores = fileURLToPath(new URL("cores.ts", import.meta.url));
  const module = `import { confineThisProcess } from ${JSON.stringify(cores)};\n${script}`;
  const output = execFileSync(process.execPath, [...TYPE_STRIPPING, "--input-type=module", "-e", module], {
    encoding: "utf8",
  });
  return JSON.parse(output);
}

test.runIf(split !== null)(
  "a process that confines itself runs on the client's cores with all its threads",
  () => {
    const lists = printedBy(`
    import { readFileSync, readdirSync } from "node:fs";
    confineThisProcess(${JSON.stringify(split?.client)});
    const lists = readdirSync("/proc/self/task").map((thread) =>
      /^Cpus_allowed_list:\\s*(\\S+)/m.exec(readFileSync("/proc/self/task/" + thread + "/status", "utf8"))[1]);
    console.log(JSON.stringify([...new Set(lists)]));
  `);
    expect(lists).toEqual([split?.client]);
  },
);

test.runIf(split !== null)("a process confines itself while threads of it end", () => {
  const threads = printedBy(`
    import { once } from "node:events";
    import { readdirSync } from "node:fs";
    import { Worker } from "node:worker_threads";
    const threads = () => readdirSync("/proc/self/task").length;
    const endsWhenTold = \`
      import { parentPort } from "node:worker_threads";
      parentPort.once("message", (delayMs) => setTimeout(() => {}, delayMs));
    \`;
    const workers = Array.from({ length: 20 }, () => new Worker(endsWhenTold, { eval: true }));
    await Promise.all(workers.map((worker) => once(worker, "online")));
    const before = threads();
    workers.forEach((worker, index) => worker.postMessage(index * 20));
    // Ten times and more, until a thread has ended: how long that takes depends on the machine.
    for (let times = 0; times < 10 || (times < 1000 && threads() === before); times += 1) {
      confineThisProcess(${JSON.stringify(split?.client)});
    }
    console.log(JSON.stringify({ before, after: threads() }));
  `) as { before: number; after: number };
  expect(threads.after).toBeLessThan(threads.before);
});
