import { shellWord } from "@evenbench/core";
import { LOGS_FOLDER } from "../protocol/plan.ts";

/** How the token comes to closed targets; empty where none is. */
export function tokenPart({ closed }: { readonly closed: readonly string[] }): string {
  if (closed.length === 0) return "";
  return `## The token

The targets are closed. Their token comes from the environment alone; no file here has it.

\`\`\`sh
export EVENBENCH_TOKEN="$(node -p 'require("<repository>/deployments.json").token')"
\`\`\``;
}

export function collectPart(folder: string): string {
  return `## Afterwards\n\n\`\`\`sh\nnpm run bench -- vantages collect ${shellWord(folder)} ${shellWord(folder)}/${LOGS_FOLDER}/*\n\`\`\``;
}

export function joinParts(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
