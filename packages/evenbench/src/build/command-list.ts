import { fileURLToPath } from "node:url";
import { loadCommands } from "@evenbench/cli/commands";
import { Command } from "commander";

/** Source of a module with the commands of the published package. */
export async function commandList(): Promise<string> {
  const modules = [...(await loadCommands())];
  const within = modules.filter(([, { worksOutside }]) => worksOutside);
  const imports = within.map(
    ([url], index) => `import add${index} from ${JSON.stringify(fileURLToPath(url))};\n`,
  );
  const program = new Command();
  for (const [, module] of modules) if (!module.worksOutside) module.default(program, { code: 0 });
  const names = program
    .createHelp()
    .visibleCommands(program)
    .map((command) => command.name());
  const inCloneOnly = names.filter((name) => name !== "help");
  const add = within.map((_, index) => `add${index}`).join(", ");
  const found = `{ add: [${add}], inCloneOnly: ${JSON.stringify(inCloneOnly)} }`;
  return `${imports.join("")}export const findCommands = async () => (${found});\n`;
}
