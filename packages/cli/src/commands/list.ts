import { describeBounds } from "@evenbench/core";
import type { Command } from "commander";
import { chooseCases } from "../cases.ts";
import type { Exit } from "../exit.ts";
import { buildTargets, isLocal, type SelectionOptions, selectTargets, withSelection } from "../selection.ts";

/** `evenbench list`: cases and targets. */
export default function list(program: Command, _exit: Exit): void {
  withSelection(program.command("list").description("list the cases and the local targets"))
    .option("--json", "as one JSON document")
    .action(async (options: SelectionOptions & { json?: boolean }) => {
      const targets = (await selectTargets(options)).filter(isLocal);
      await buildTargets(targets, options);
      const { byApp: cases } = await chooseCases(targets, []);
      if (options.json) {
        const named = targets.map(({ name, app, platform }) => ({
          name,
          app: app.id,
          platform: platform.id,
        }));
        console.log(JSON.stringify({ targets: named, cases }));
        return;
      }
      console.log("Targets");
      for (const { name, platform } of targets)
        console.log(`  ${name.padEnd(22)} ${platform.title}: ${platform.description}`);
      for (const [app, manifests] of Object.entries(cases)) {
        console.log(`\nCases of ${app}`);
        for (const { id, title, parameters } of manifests) {
          console.log(`  ${id.padEnd(22)} ${title}`);
          for (const [name, parameter] of Object.entries(parameters)) {
            console.log(`  ${"".padEnd(22)}   ${name}=${parameter.default} (${describeBounds(parameter)})`);
          }
        }
      }
    });
}
