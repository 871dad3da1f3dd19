import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildResult, buildArtifact } from "@evenbench/bundle";
import { repositoryRoot } from "@evenbench/host";

export async function scratchFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "evenbench-conformance-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export function caseSource(handle: string, imports = "", members = ""): string {
  return `import { defineCase } from "@evenbench/core";
${imports}
export default defineCase({
  title: "Scratch", description: "For a test.", parameters: {}, golden: null, headline: "lastByteMs", ${members}
  handle: ${handle},
});
`;
}

export async function buildScratchArtifact(
  folder: string,
  sources: Readonly<Record<string, string>>,
  nodeEnv: string | null = "production",
): Promise<BuildResult> {
  const casesDirectory = join(folder, "cases");
  await mkdir(casesDirectory, { recursive: true });
  // Where the case with the most dependencies finds React and the contracts.
  await symlink(
    join(repositoryRoot, "packages/cases/react-ssr/node_modules"),
    join(casesDirectory, "node_modules"),
  );
  for (const [id, source] of Object.entries(sources)) {
    await mkdir(join(casesDirectory, id));
    await writeFile(join(casesDirectory, id, "case.ts"), source);
  }
  const result = await buildArtifact({ casesDirectory, outDirectory: folder, nodeEnv });
  if (result.failures.length > 0) throw new Error(JSON.stringify(result.failures));
  return result;
}
