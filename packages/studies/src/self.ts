// `npm run bench:self [-- overhead client control sequential frameworks truth scale collect]`: what the bench
// itself costs and can tell. Ratios from one run; run it on a quiet machine.
// `npm run bench:self -- control [case]`: false alarms and power of the verdict, on html-template unless
// another case is named.
// `npm run bench:self -- against [runs] [ms a case]`: verdicts on builds that do not differ, and on one that
// is 5 % slower.
// `npm run bench:self -- client [requests]`: the error of clients against known delays, each with so many requests.
// `npm run bench:self -- load-engines [seconds a turn] [turns]`: our own client and k6 at the same rates, in turns.
// `npm run bench:self -- scale [requests]`: memory of a run, and time and memory of its report.
// `--no-build` takes what was built last.
// `npm run bench:self -- truth <runs> [cases] [starts]`: runs against long series of real requests, which
// stay in the first run's folder; name that file, and nothing is measured again.
// `npm run bench:self -- shares <runs>`, `busy <run>`: where the time of a run went, and what is left of it
// on a busy machine.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "@evenbench/cli/build";
import { confineThisProcess, splitCores } from "@evenbench/host";
import { listTargets } from "@evenbench/runner";
import { against } from "./against.ts";
import { busy } from "./busy.ts";
import { measureClientError } from "./client/client-error.ts";
import { collect } from "./collect.ts";
import { control } from "./control.ts";
import { makeCopies } from "./copies.ts";
import { frameworks } from "./frameworks.ts";
import { loadEngines } from "./load-engines.ts";
import { overhead } from "./overhead.ts";
import { row } from "./print.ts";
import { scale } from "./scale.ts";
import { sequential } from "./sequential.ts";
import { shares } from "./shares.ts";
import { truth } from "./truth.ts";

const noBuild = process.argv.includes("--no-build");
const wanted = process.argv.slice(2).filter((word) => word !== "--no-build");
const asked = (part: string): boolean => wanted.length === 0 || wanted.includes(part);

const all = (await listTargets()).filter(({ platform }) => !platform.offUnlessNamed);
const targets = all.filter(({ app }) => app.id === "bundle");
if (!noBuild) {
  const built = await build(all);
  if (built.brokenBelow || built.failures.size > 0) throw new Error(`The build failed.\n${built.summary}`);
}

const split = splitCores();
row("Cores of client / servers", split === null ? "shared" : `${split.client} / ${split.servers}`);

const node = targets.find(({ platform }) => platform.id === "node");
if (node === undefined) throw new Error("There is no target on the platform node.");
if (wanted[0] === "against") {
  const [runs, timeMs] = wanted.slice(1).map(Number);
  await against(node, runs, timeMs);
}
if (wanted[0] === "load-engines") {
  const [seconds, turns] = wanted.slice(1).map(Number);
  await loadEngines(node, seconds, turns);
}
if (asked("control") || asked("sequential")) {
  const folder = await mkdtemp(join(tmpdir(), "evenbench-copies-"));
  try {
    const copies = await makeCopies(node, folder, wanted);
    if (asked("control")) await control(copies);
    if (asked("sequential")) await sequential(copies);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
if (asked("frameworks")) await frameworks(all.filter(({ app }) => app.id !== "bundle"));
if (asked("truth")) await truth(all, wanted.slice(1));
if (wanted[0] === "shares") for (const folder of wanted.slice(1)) await shares(folder);
if (wanted[0] === "busy") {
  if (wanted[1] === undefined)
    throw new Error("Name the folder of a run that was made on the quiet machine.");
  await busy(wanted[1], wanted.slice(2));
}
if (asked("scale")) await scale(wanted[0] === "scale" ? Number(wanted[1]) || undefined : undefined);
if (asked("collect")) await collect();
if (split !== null) confineThisProcess(split.client);
if (asked("overhead")) {
  const logs = await mkdtemp(join(tmpdir(), "evenbench-self-"));
  try {
    for (const target of targets) await overhead(target, split?.servers ?? null, logs);
  } finally {
    await rm(logs, { recursive: true, force: true });
  }
}
if (asked("client")) {
  const { answer, exchanges, probe, autocannon, k6 } = await measureClientError(
    wanted[0] === "client" ? Number(wanted[1]) || undefined : undefined,
  );
  const micro = ({ median, p95 }: { median: number; p95: number }) =>
    `${median.toFixed(0)} / ${p95.toFixed(0)} us`;
  row("Client: requests each, server's known last byte", `${exchanges}, ${answer.lastByteAfterMs} ms`);
  row("Probe: error of the first byte's arrival, median / p95", micro(probe.firstByteArrival));
  row("Probe: error of the last byte's arrival, median / p95", micro(probe.lastByteArrival));
  row("Probe: error of the duration to the last byte", micro(probe.lastByteDuration));
  row("autocannon: error of the duration to the last byte", micro(autocannon.lastByteDuration));
  row("Probe: CPU for 1,000 requests", `${probe.cpuMsPer1000.toFixed(0)} ms`);
  row("autocannon: CPU for 1,000 requests", `${autocannon.cpuMsPer1000.toFixed(0)} ms`);
  row("Probe: error of the duration to the first byte", micro(probe.firstByteDuration));
  if (k6 === null) row("k6", "not installed");
  else {
    row("k6: error of the duration to the first byte", micro(k6.firstByteDuration));
    row("k6: error of the duration to the last byte", micro(k6.lastByteDuration));
    row("k6: CPU for 1,000 requests, its start taken off", `${k6.cpuMsPer1000.toFixed(0)} ms`);
  }
}
