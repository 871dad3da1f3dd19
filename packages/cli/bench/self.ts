// `npm run bench:self [-- floor client control sequential frameworks scale]`: what the bench itself costs and can tell. Ratios from one run; run it on a quiet machine.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { confineThisProcess, splitCores } from "@evenbench/host";
import { measureClientError } from "@evenbench/probe/bench";
import { listTargets } from "@evenbench/runner";
import { build } from "../src/build.ts";
import { control } from "./control.ts";
import { makeCopies } from "./copies.ts";
import { floor } from "./floor.ts";
import { frameworks } from "./frameworks.ts";
import { row } from "./print.ts";
import { scale } from "./scale.ts";
import { sequential } from "./sequential.ts";

const wanted = process.argv.slice(2);
const asked = (part: string): boolean => wanted.length === 0 || wanted.includes(part);

const all = await listTargets();
const targets = all.filter(({ app }) => app.id === "bundle");
const built = await build(all);
if (built.brokenBelow || built.failures.size > 0) throw new Error(`The build failed.\n${built.summary}`);

const split = splitCores();
row("Cores of client / servers", split === null ? "shared" : `${split.client} / ${split.servers}`);

if (asked("control") || asked("sequential")) {
  const node = targets.find(({ platform }) => platform.id === "node");
  if (node === undefined) throw new Error("There is no target on the platform node.");
  const folder = await mkdtemp(join(tmpdir(), "evenbench-copies-"));
  try {
    const copies = await makeCopies(node, folder);
    if (asked("control")) await control(copies);
    if (asked("sequential")) await sequential(copies);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
if (asked("frameworks")) await frameworks(all.filter(({ app }) => app.id !== "bundle"));
if (asked("scale")) await scale();
if (split !== null) confineThisProcess(split.client);
if (asked("floor")) {
  const logs = await mkdtemp(join(tmpdir(), "evenbench-self-"));
  try {
    for (const target of targets) await floor(target, split?.servers ?? null, logs);
  } finally {
    await rm(logs, { recursive: true, force: true });
  }
}
if (asked("client")) {
  const { answer, exchanges, probe, autocannon } = await measureClientError();
  const micro = ({ median, p95 }: { median: number; p95: number }) =>
    `${median.toFixed(0)} / ${p95.toFixed(0)} us`;
  row("Client: exchanges each, server's known last byte", `${exchanges}, ${answer.lastByteAfterMs} ms`);
  row("Probe: error of the first byte's arrival, median / p95", micro(probe.firstByteArrival));
  row("Probe: error of the last byte's arrival, median / p95", micro(probe.lastByteArrival));
  row("Probe: error of the duration to the last byte", micro(probe.lastByteDuration));
  row("autocannon: error of the duration to the last byte", micro(autocannon.lastByteDuration));
  row("Probe: CPU for 1,000 exchanges", `${probe.cpuMsPer1000.toFixed(0)} ms`);
  row("autocannon: CPU for 1,000 exchanges", `${autocannon.cpuMsPer1000.toFixed(0)} ms`);
}
