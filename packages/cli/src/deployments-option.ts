import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { type Command, Option } from "commander";

export interface DeploymentsOption {
  readonly deployments: string;
}

/** Adds `--deployments`: where deployments are written down. */
export function withDeployments(command: Command): Command {
  const file = "deployments.json";
  return command.addOption(
    new Option("--deployments <file>", "the file that says what is deployed").default(
      join(repositoryRoot, file),
      `${file} in the repository's root`,
    ),
  );
}
