import { DEFAULT_NAME, isDeploymentName, NAME_IN_WORDS } from "@evenbench/deploy/name";
import { DEFAULT_REGION } from "@evenbench/deploy/region";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { DeployCommandOptions } from "../actions/deploy.ts";
import { withDeployments } from "../deployments-option.ts";
import type { Exit } from "../exit.ts";
import { collect } from "../quantity.ts";

export default function addDeployCommand(program: Command, exit: Exit): void {
  const command = program
    .command("deploy")
    .helpGroup("Deploy:")
    .description("build anew, deploy to a platform, closed by a token, and prove that it serves that build")
    .argument("<platform>", 'the platform, or "all"')
    .option("-a, --app <id...>", "only an app (default: all)", collect)
    .option(
      "--name <beginning>",
      `how the names of all deployments begin (default: as what is deployed; else "${DEFAULT_NAME}")`,
      parseName,
    )
    .option("--region <name>", "where all platforms run, as AWS calls it", DEFAULT_REGION)
    .addOption(
      new Option("--cpu <accountant>", "let platforms keep the CPU time of each request").choices([
        "provider",
      ]),
    )
    .option("-y, --yes", "do not ask")
    .option("--no-build", "send what was built last")
    .option("--no-preflight", "do not run preflight over what was deployed");
  withDeployments(command).action(async (platform: string, options: DeployCommandOptions) => {
    const { deployCommand } = await import("../actions/deploy.ts");
    await deployCommand(platform, options, exit);
  });
}

function parseName(text: string): string {
  if (!isDeploymentName(text)) throw new InvalidArgumentError(`Give ${NAME_IN_WORDS}.`);
  return text;
}
