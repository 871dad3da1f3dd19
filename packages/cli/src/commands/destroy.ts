import type { Command } from "commander";
import type { DestroyCommandOptions } from "../actions/destroy.ts";
import { withDeployments } from "../deployments-option.ts";
import type { Exit } from "../exit.ts";
import { collect } from "../quantity.ts";

export default function addDestroyCommand(program: Command, exit: Exit): void {
  const command = program
    .command("destroy")
    .helpGroup("Deploy:")
    .description("remove what was deployed")
    .argument("[platform]", "only from this platform", "all")
    .option("-a, --app <id...>", "only an app", collect)
    .option("-y, --yes", "do not ask");
  withDeployments(command).action(async (platform: string, options: DestroyCommandOptions) => {
    const { destroyCommand } = await import("../actions/destroy.ts");
    await destroyCommand(platform, options, exit);
  });
}
