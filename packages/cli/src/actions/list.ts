import { describeBounds } from "@evenbench/core";
import type { LocalTarget } from "@evenbench/runner";
import { chooseCases } from "../cases.ts";
import type { Exit } from "../exit.ts";
import type { ListDocument } from "../list-document.ts";
import { say, sayJson } from "../say.ts";
import { buildTargets, isLocal, selectTargets, targetsThatAreOff } from "../selection.ts";
import type { SelectionOptions } from "../selection-options.ts";

export interface ListOptions extends SelectionOptions {
  readonly json?: boolean;
}

export async function listCommand(options: ListOptions, exit: Exit): Promise<void> {
  const targets = (await selectTargets(options, exit)).filter(isLocal);
  const off = await targetsThatAreOff(options);
  await buildTargets(targets, options);
  const { byApp: cases } = await chooseCases(targets, []);
  if (options.json) {
    const document: ListDocument = { targets: targets.map(named), off: off.map(named), cases };
    sayJson(document);
    return;
  }
  say("Targets");
  targets.forEach(sayTarget);
  if (off.length > 0) say("\nOff unless named with --target");
  off.forEach(sayTarget);
  for (const [app, manifests] of Object.entries(cases)) {
    say(`\nCases of ${app}`);
    for (const { id, title, parameters } of manifests) {
      say(`  ${id.padEnd(22)} ${title}`);
      for (const [name, parameter] of Object.entries(parameters)) {
        say(`  ${"".padEnd(22)}   ${name}=${parameter.default} (${describeBounds(parameter)})`);
      }
    }
  }
}

function named({ name, app, platform }: LocalTarget): ListDocument["targets"][number] {
  return { name, app: app.id, platform: platform.id };
}

function sayTarget({ name, platform }: LocalTarget): void {
  say(`  ${name.padEnd(22)} ${platform.title}: ${platform.description}`);
  const missing = platform.missing?.() ?? null;
  if (missing !== null) say(`  ${"".padEnd(22)} ${missing}`);
}
