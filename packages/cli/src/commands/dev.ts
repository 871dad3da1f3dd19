import type { Command } from "@commander-js/extra-typings";
import type { DevTarget } from "../dev/develop.ts";
import { ExitCode, exit, interruptible } from "../exit.ts";
import { oneOf } from "../nearest.ts";
import { collectNames, wholeNumber } from "../option-values.ts";
import type { OptionsOf } from "../options.ts";
import { say, sayLeftOut } from "../say.ts";

/** Declares the command `dev`. */
export function declare(program: Command) {
  return program
    .command("dev")
    .helpGroup("Develop:")
    .description("start development servers, which reload at every change; not for measuring")
    .option(
      "-F, --filter <name...>",
      "only these targets: a platform's or an app's name (default: all)",
      collectNames,
    )
    .option(
      "--port <n>",
      "port of the first server, the others follow it; 0 for free ones",
      wholeNumber(0, 65_000),
      4400,
    );
}

/** Runs development servers until Ctrl-C. */
export default async function dev({ filter = [], port }: OptionsOf<typeof declare>): Promise<void> {
  const { develop } = await import("../dev/develop.ts");
  const targets = await chooseDevTargets(filter);
  say(
    "Not to be measured: these are development builds, whose times say nothing about\nthe platforms. To measure, use npm run bench.\nBuilding and starting ...",
  );
  const signal = interruptible("Stopping all servers.");
  await develop(targets, port, signal, say);
  if (signal.aborted) {
    exit.code = ExitCode.interrupted;
  }
}

async function chooseDevTargets(named: readonly string[]): Promise<readonly DevTarget[]> {
  const { listDevTargets } = await import("../dev/develop.ts");
  const { assertNothingMissing } = await import("../selection.ts");
  const all = await listDevTargets(sayLeftOut);
  if (named.length === 0) {
    return all.filter(({ app, platform }) => app.casesOf === undefined && !platform?.offUnlessNamed);
  }
  const wanted = oneOf("target", named, [...new Set(all.map(({ name }) => name))]);
  const targets = all.filter(({ name }) => wanted.includes(name));
  for (const { platform } of targets) {
    if (platform !== null) {
      assertNothingMissing(platform);
    }
  }
  return targets;
}
