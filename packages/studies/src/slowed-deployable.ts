import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildArtifact } from "@evenbench/bundle";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";

/**
 * Builds a Node deployable in which some cases spin for a fraction of the time that they took; all else is
 * the real thing.
 */
export async function buildSlowed(
  slowdowns: Readonly<Record<string, number>>,
  folder: string,
): Promise<string> {
  const casesDirectory = join(folder, "cases");
  for (const [caseId, fraction] of Object.entries(slowdowns)) {
    await mkdir(join(casesDirectory, caseId), { recursive: true });
    await writeFile(join(casesDirectory, caseId, "case.ts"), sourceOf(caseId, fraction));
  }
  const { artifact } = await buildArtifact({ casesDirectory, outDirectory: join(folder, "bundle") });
  const deployable = join(folder, "deployable");
  const buildDeployable = await bundleBuilder("node");
  await buildDeployable({ artifactDirectory: artifact, outDirectory: deployable });
  return deployable;
}

function sourceOf(caseId: string, fraction: number): string {
  const original = JSON.stringify(join(repositoryRoot, "packages/cases", caseId, "case.ts"));
  if (fraction === 0) return `export { default } from ${original};\n`;
  return `import original from ${original};
export default {
  ...original,
  async handle(request, parameters, context) {
    const startedAt = performance.now();
    const response = await original.handle(request, parameters, context);
    const now = performance.now();
    while (performance.now() < now + (now - startedAt) * ${fraction});
    return response;
  },
};
`;
}
