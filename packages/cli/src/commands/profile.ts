import { join } from "node:path";
import { profile as profileTargets, renderProfile } from "@evenbench/profile";
import type { LocalTarget } from "@evenbench/runner";
import { type Command, Option } from "commander";
import { chooseCases, targetsWith } from "../cases.ts";
import { type Exit, ExitCode } from "../exit.ts";
import { interruptible } from "../interrupt.ts";
import { UsageError } from "../nearest.ts";
import { parseDuration } from "../quantity.ts";
import { buildTargets, isLocal, type SelectionOptions, selectTargets, withSelection } from "../selection.ts";
import { version } from "../version.ts";

interface ProfileCommandOptions extends SelectionOptions {
  readonly time: number;
  readonly out: string;
  readonly json?: boolean;
}

const PHASES = {
  start: "starting",
  warmup: "warming up",
  sample: "taking samples",
  read: "reading the profile",
};

/** `evenbench profile`: where the time of a case goes, by package, with a flame graph. */
export default function profile(program: Command, exit: Exit): void {
  withSelection(
    program
      .command("profile")
      .description("take CPU profiles of a case on local targets, under load, side by side")
      .argument("<case>", "the case to ask for"),
  )
    .addOption(
      new Option("--time <duration>", "how long each target is sampled")
        .argParser(parseDuration)
        .default(10_000, "10 s"),
    )
    // Not among the runs, of which the newest is what other commands take.
    .option("-o, --out <folder>", "the folder that takes the profile's own folder", "profiles")
    .option("--json", "print what profile.json says")
    .action(async (word: string, options: ProfileCommandOptions) => {
      const selected = (await selectTargets(options)).map(refuseUrl);
      const wanted = await targetsWith(selected, [word]);
      refuseOthers(word, selected, wanted, options);
      const { targets, missing } = await buildTargets(wanted, options);
      const { byApp } = await chooseCases(targets, [word]);
      const manifest = Object.values(byApp)[0]?.[0];
      if (manifest === undefined) throw new UsageError(`There is no case "${word}".`);
      const signal = interruptible();
      const { folder, record } = await profileTargets({
        targets: targets.filter(isLocal),
        case: manifest,
        timeMs: options.time,
        out: options.out,
        evenbenchVersion: version,
        signal,
        onPhase: (target, phase) => console.error(`${target}: ${PHASES[phase]} ...`),
      });
      console.log(options.json ? JSON.stringify(record, null, 2) : renderProfile(record));
      if (!options.json) console.log(`Flame graphs: ${join(folder, "profile.html")}`);
      if (signal.aborted) exit.code = ExitCode.interrupted;
      else if (missing.length > 0) exit.code = ExitCode.failed;
    });
}

function refuseUrl(target: Awaited<ReturnType<typeof selectTargets>>[number]): LocalTarget {
  if (isLocal(target)) return target;
  throw new UsageError(
    `"${target.name}" is a URL: its runtime's inspector cannot be reached from here. Profile the local target of the same app instead.`,
  );
}

/** A target that was named but does not serve the case is a mistake; of targets that were not named it is no matter. */
function refuseOthers(
  word: string,
  targets: readonly LocalTarget[],
  wanted: readonly LocalTarget[],
  { target: named }: SelectionOptions,
): void {
  const other = targets.find((one) => !wanted.includes(one));
  if (named === undefined || other === undefined) return;
  const serving = wanted.map(({ name }) => name).join(", ");
  throw new UsageError(
    `${other.name} does not serve the case "${word}".${serving === "" ? "" : ` Of the targets named, ${serving} does.`} See \`evenbench list\`.`,
  );
}
