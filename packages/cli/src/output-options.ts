import type { Command } from "commander";

export interface OutputOptions {
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export function withOutput(command: Command): Command {
  return command
    .optionsGroup("Output:")
    .option("-q, --quiet", "print the answer alone: no progress, no notes")
    .option("--json", "print the results as one JSON document");
}
