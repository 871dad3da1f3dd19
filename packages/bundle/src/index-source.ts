import type { CaseDefinition } from "@evenbench/core";
import { DIGEST_FILE } from "./digest.ts";

export interface BuiltCase {
  readonly id: string;
  readonly definition: CaseDefinition;
  /** Where its work begins in its source, from 1. */
  readonly line: number;
}

/** Source of the artifact's index: lists the cases, loads each module on its first request. */
export function indexSource(
  cases: readonly BuiltCase[],
  nodeEnv: string | null,
  ownPins: Readonly<Record<string, string>> = {},
): string {
  const entries = cases.map(({ id, definition }) => {
    const { title, description, parameters, services = [] } = definition;
    return `    {
      manifest: ${JSON.stringify({ id, path: `/${id}`, title, description, parameters, services })},
      hasPins: ${definition.pins !== undefined},
      load: () => import("./cases/${id}.mjs"),
    },`;
  });
  const pins = { "nodeEnv.artifact": nodeEnv ?? "undefined", ...ownPins };
  return `import { makeCreateHandler } from "./handler/handler.ts";
import { artifactDigest } from "./${DIGEST_FILE}";

export const createHandler = makeCreateHandler({
  app: "bundle",
  label: \`Artifact \${artifactDigest.slice(0, 12)}\`,
  pins: { artifact: artifactDigest, ...${JSON.stringify(pins)} },
  cases: [
${entries.join("\n")}
  ],
});
`;
}
