import { basename, join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import { type Command, Option } from "commander";

/** Where deployments are written down unless another file is named. */
export const DEPLOYMENTS_FILE: string = join(repositoryRoot, "deployments.json");

export interface DeploymentsOption {
  readonly deployments: string;
}

export function withDeployments(command: Command): Command {
  return command.addOption(
    new Option("--deployments <file>", "the file that says what is deployed").default(
      DEPLOYMENTS_FILE,
      `${basename(DEPLOYMENTS_FILE)} in the repository's root`,
    ),
  );
}
