import { type Command, Option } from "commander";
import { type DeploymentsOption, withDeployments } from "./deployments-option.ts";
import { collectTargets } from "./own-servers/options.ts";
import { collect } from "./quantity.ts";

export interface BuildOptions {
  readonly build: boolean;
  readonly clean?: boolean;
}

export interface SelectionOptions extends BuildOptions, DeploymentsOption {
  readonly target?: readonly string[];
  readonly app?: readonly string[];
  readonly case?: readonly string[];
  readonly where?: Place;
  readonly tokenFor?: readonly string[];
}

const PLACES = ["local", "deployed"] as const;
type Place = (typeof PLACES)[number];

export const SELECTION_FLAGS = ["--target", "--app", "--where", "--token-for", "--no-build", "--deployments"];

export function withSelection(command: Command): Command {
  return withDeployments(command.optionsGroup("Targets:"))
    .option(
      "-t, --target <name...>",
      "a target by name, or name=URL for one that runs already (default: all local)",
      collectTargets,
    )
    .option("-a, --app <id...>", "only the targets of an app (default: all)", collect)
    .addOption(
      new Option("-w, --where <place>", "the targets on this machine, or those that were deployed")
        .choices(PLACES)
        .default("local"),
    )
    .option(
      "--token-for <host...>",
      "send EVENBENCH_TOKEN to the --target URLs of this host, such as worker.example.workers.dev",
      collect,
    )
    .addOption(new Option("--no-build", "use what was built last"));
}
