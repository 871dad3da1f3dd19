import type { Command } from "@commander-js/extra-typings";
import type { LocalTarget } from "@evenbench/runner";
import { DEFAULT_SUITE, type OptionsOf, withNames } from "../options.ts";
import { say, sayJson, sayLeftOut } from "../say.ts";

/** Declares the command `list`. */
export function declare(program: Command) {
  const command = program
    .command("list")
    .helpGroup("Develop:")
    .description("list the cases and the local targets, from their folders; nothing is built");
  return withNames(command).option("--json", "as one JSON document");
}

const LIST_WIDTH = 80;
const LIST_INDENT = 25;

/** Prints the cases and the local targets, as their folders have them. */
export default async function list(options: OptionsOf<typeof declare>): Promise<void> {
  const { recordOfPlatform } = await import("@evenbench/core");
  const { listTargets } = await import("@evenbench/runner");
  const { wrap } = await import("@evenbench/page");
  const { listCases } = await import("../app-cases.ts");
  const { isLocal, selectTargets } = await import("../selection.ts");
  const { casesOfSuite } = await import("../suites.ts");
  const { app: apps, target: names } = options;
  const targets = (await selectTargets({ ...options, build: false })).filter(isLocal);
  const listed = new Set(targets.map(({ name }) => name));
  const isOff = ({ name, app }: LocalTarget) =>
    !listed.has(name) && (apps === undefined || apps.includes(app.id));
  const off = names === undefined ? (await listTargets(sayLeftOut)).filter(isOff) : [];
  const cases = await listCases(targets);
  if (options.json) {
    sayJson({ targets: targets.map(targetNames), off: off.map(targetNames), cases });
    return;
  }
  const suite = new Set(await casesOfSuite(DEFAULT_SUITE));
  for (const [app, listed] of Object.entries(cases)) {
    say(`Cases of ${app}`);
    for (const { id, title } of listed) {
      say(`${suite.has(id) ? "*" : " "} ${id.padEnd(22)} ${title}`);
    }
    say("");
  }
  say("* measured by `npm run bench` without --case\n");
  const described = new Set<string>();
  const sections = [
    ["Servers", targets],
    ["\nMeasured where --target names them", off],
  ] as const;
  for (const [heading, shown] of sections.filter(([, all]) => all.length > 0)) {
    say(heading);
    for (const { name, platform } of shown) {
      say(`  ${name.padEnd(22)} ${recordOfPlatform(platform, "local").spoken}`);
      // A platform is described once.
      const more = [
        ...(described.has(platform.id) ? [] : [platform.description]),
        platform.missing?.() ?? "",
      ];
      described.add(platform.id);
      for (const line of more.filter(Boolean).flatMap((text) => wrap(text, LIST_WIDTH - LIST_INDENT, 0))) {
        say(" ".repeat(LIST_INDENT) + line);
      }
    }
  }
}

function targetNames({ name, app, platform }: LocalTarget) {
  return { name, app: app.id, platform: platform.id };
}
