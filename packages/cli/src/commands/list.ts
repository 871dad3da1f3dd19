import type { Command } from "@commander-js/extra-typings";
import type { LocalTarget } from "@evenbench/runner";
import { type OptionsOf, withNames } from "../options.ts";
import { say, sayJson, sayLeftOut } from "../say.ts";

/** Declares the command `list`. */
export function declare(program: Command) {
  const command = program
    .command("list")
    .helpGroup("Develop:")
    .description("list the cases and the local targets, from their folders; nothing is built");
  return withNames(command).option("--json", "as one JSON document");
}

/** Prints the cases and the local targets, as their folders have them. */
export default async function list(options: OptionsOf<typeof declare>): Promise<void> {
  const { listTargets } = await import("@evenbench/runner");
  const { isLocal, listCases, selectTargets } = await import("../selection.ts");
  const { app: apps, target: names } = options;
  const targets = (await selectTargets({ ...options, build: false })).filter(isLocal);
  const isOff = ({ app, platform }: LocalTarget) =>
    platform.offUnlessNamed && (apps?.includes(app.id) ?? true);
  const off = names === undefined ? (await listTargets(sayLeftOut)).filter(isOff) : [];
  const cases = await listCases(targets);
  if (options.json) {
    sayJson({ targets: targets.map(named), off: off.map(named), cases });
    return;
  }
  say("Targets");
  targets.forEach(sayTarget);
  if (off.length > 0) {
    say("\nOpt-in, with --target");
  }
  off.forEach(sayTarget);
  for (const [app, listed] of Object.entries(cases)) {
    say(`\nCases of ${app}`);
    for (const { id, title } of listed) {
      say(`  ${id.padEnd(22)} ${title}`);
    }
  }
}

function named({ name, app, platform }: LocalTarget) {
  return { name, app: app.id, platform: platform.id };
}

function sayTarget({ name, platform }: LocalTarget): void {
  say(`  ${name.padEnd(22)} ${platform.title}: ${platform.description}`);
  const missing = platform.missing?.() ?? null;
  if (missing !== null) {
    say(`  ${"".padEnd(22)} ${missing}`);
  }
}
