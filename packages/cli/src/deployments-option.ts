import { join } from "node:path";
import type { Command } from "commander";
import { projectRoot } from "./project.ts";

export interface DeploymentsOption {
  readonly deployments: string;
}

/** Adds `--deployments`: where deployments are written down. */
export function withDeployments(command: Command): Command {
  return command.option(
    "--deployments <file>",
    "the file that says what is deployed",
    join(projectRoot, "deployments.json"),
  );
}
