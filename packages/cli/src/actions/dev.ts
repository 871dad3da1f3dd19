import { once } from "node:events";
import { type DevTarget, develop, listDevTargets, NOT_TO_BE_MEASURED } from "../dev/index.ts";
import { interruptible } from "../interrupt.ts";
import { sayLeftOut } from "../left-out.ts";
import { assertNothingMissing } from "../missing.ts";
import { pick } from "../nearest.ts";
import { say } from "../say.ts";

export interface DevCommandOptions {
  readonly filter?: readonly string[];
  readonly port: number;
}

export async function devCommand({ filter = [], port }: DevCommandOptions): Promise<void> {
  const targets = await chooseTargets(filter);
  say(`NOT TO BE MEASURED. ${NOT_TO_BE_MEASURED}\nBuilding and starting ...`);
  const signal = interruptible("Stopping all servers.");
  const session = await develop(targets, { port, onLine: (line) => say(line) });
  try {
    say(`\nEvery case on every target: ${session.url}\nLogs: ${session.logs}\nCtrl-C ends it.`);
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await session.stop();
  }
}

async function chooseTargets(named: readonly string[]): Promise<readonly DevTarget[]> {
  const all = await listDevTargets(sayLeftOut);
  if (named.length === 0) return all.filter(({ platform }) => !platform?.offUnlessNamed);
  const wanted = pick("target", named, [...new Set(all.map(({ name }) => name))]);
  const targets = all.filter(({ name }) => wanted.includes(name));
  for (const { platform } of targets) if (platform !== null) assertNothingMissing(platform);
  return targets;
}
