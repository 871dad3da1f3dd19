import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host";
import { readSummary, type SummaryRow } from "@evenbench/results";
import { row } from "./print.ts";

const CLAIMS = ["faster", "slower"];

/** Repeats a run while a busy loop turns for each core, and holds its verdicts against the quiet run's. */
export async function busy(quietFolder: string, options: readonly string[], out: string): Promise<void> {
  const { rows: quiet } = (await readSummary(quietFolder)).summary;
  const cases = [...new Set(quiet.map(({ caseId }) => caseId))].flatMap((caseId) => ["--case", caseId]);
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  try {
    await evenbench("run", "--no-build", ...cases, ...options, "--out", out);
  } finally {
    for (const loop of loops) loop.kill("SIGKILL");
  }
  const [disturbed = ""] = await readdir(out);
  compare(quiet, (await readSummary(join(out, disturbed))).summary.rows);
}

function compare(quiet: readonly SummaryRow[], disturbed: readonly SummaryRow[]): void {
  const pairs = disturbed.flatMap((one) => {
    const before = quiet.find(
      ({ caseId, target, metric }) => caseId === one.caseId && target === one.target && metric === one.metric,
    );
    return one.ratio === null || before === undefined ? [] : [{ one, before }];
  });
  for (const { one, before } of pairs) {
    const [first, second] = [before, one].map(
      ({ verdict, ratio }) => `${verdict} ${ratio?.estimate.toFixed(2)}`,
    );
    row(`${one.caseId} ${one.target} ${one.metric}`, `quiet: ${first}; busy: ${second}`);
  }
  const ofCpu = pairs.filter(({ one }) => one.metric === "cpuMs");
  const equal = ofCpu.filter(({ one, before }) => one.verdict === before.verdict);
  row("Verdicts on CPU time equal to the quiet ones", `${equal.length} of ${ofCpu.length}`);
  const onTime = pairs.filter(({ one }) => one.headline && one.metric !== "cpuMs");
  const isFalse = onTime.filter(
    ({ one, before }) => CLAIMS.includes(one.verdict ?? "") && one.verdict !== before.verdict,
  );
  row("Claims on time that the quiet run does not make", `${isFalse.length} of ${onTime.length}`);
}

async function evenbench(...args: string[]): Promise<void> {
  const command = [join(repositoryRoot, "packages/cli/evenbench.ts"), ...args];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`evenbench ${args[0]} ended with ${code}.`);
}
