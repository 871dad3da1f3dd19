import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildArtifact } from "@evenbench/bundle";
import { repositoryRoot } from "@evenbench/host";
import { type BuiltTarget, deployArtifact } from "./targets.ts";

export function caseSource(handle: string): string {
  return `import { defineCase } from "@evenbench/core";
export default defineCase({
  title: "Scratch", description: "For a test.", parameters: {}, golden: null, headline: "lastByteMs",
  handle: ${handle},
});
`;
}

/** Cases from their sources, built for every platform. */
export async function deployScratch(
  folder: string,
  sources: Readonly<Record<string, string>>,
): Promise<BuiltTarget[]> {
  const casesDirectory = join(folder, "cases");
  await mkdir(casesDirectory, { recursive: true });
  // Where the contracts are found.
  await symlink(join(repositoryRoot, "packages/cases/node_modules"), join(casesDirectory, "node_modules"));
  for (const [id, source] of Object.entries(sources)) {
    await mkdir(join(casesDirectory, id));
    await writeFile(join(casesDirectory, id, "case.ts"), source);
  }
  const built = await buildArtifact({ casesDirectory, outDirectory: folder });
  if (built.failures.length > 0) throw new Error(JSON.stringify(built.failures));
  return deployArtifact(built.artifact, join(folder, "deployables"), built.manifest.cases);
}
