import { once } from "node:events";
import type { Command } from "@commander-js/extra-typings";
import type { DevTarget } from "../dev/servers.ts";
import { interruptible } from "../exit.ts";
import { pick } from "../nearest.ts";
import type { OptionsOf } from "../options.ts";
import { collect, wholeNumber } from "../quantity.ts";
import { say } from "../say.ts";

export function declare(program: Command) {
  return program
    .command("dev")
    .helpGroup("Develop:")
    .description("start development servers, which reload at every change; not for measuring")
    .option(
      "-F, --filter <name...>",
      "only these targets: a platform's or an app's name (default: all)",
      collect,
    )
    .option(
      "--port <n>",
      "port of the page that lists everything; 0 for a free one",
      wholeNumber(0, 65_535),
      4400,
    );
}

export default async function dev({ filter = [], port }: OptionsOf<typeof declare>): Promise<void> {
  const { NOT_TO_BE_MEASURED } = await import("../dev/page.ts");
  const { develop } = await import("../dev/session.ts");
  const targets = await chooseTargets(filter);
  say(`NOT TO BE MEASURED. ${NOT_TO_BE_MEASURED}\nBuilding and starting ...`);
  const signal = interruptible("Stopping all servers.");
  await using session = await develop(targets, { port, onLine: say });
  say(`\nAll servers: ${session.url}\nLogs: ${session.logs}\nCtrl-C ends it.`);
  if (!signal.aborted) await once(signal, "abort");
}

async function chooseTargets(named: readonly string[]): Promise<readonly DevTarget[]> {
  const { listDevTargets } = await import("../dev/servers.ts");
  const { assertNothingMissing, sayLeftOut } = await import("../targets.ts");
  const all = await listDevTargets(sayLeftOut);
  if (named.length === 0) return all.filter(({ platform }) => !platform?.offUnlessNamed);
  const wanted = pick("target", named, [...new Set(all.map(({ name }) => name))]);
  const targets = all.filter(({ name }) => wanted.includes(name));
  for (const { platform } of targets) if (platform !== null) assertNothingMissing(platform);
  return targets;
}
