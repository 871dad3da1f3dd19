import { join } from "node:path";
import { repositoryRoot } from "@evenbench/host/repository";
import type { Command } from "commander";

export interface DeploymentsOption {
  readonly deployments: string;
}

/** Adds `--deployments`: where deployments are written down. */
export function withDeployments(command: Command): Command {
  return command.option(
    "--deployments <file>",
    "the file that says what is deployed",
    join(repositoryRoot, "deployments.json"),
  );
}
