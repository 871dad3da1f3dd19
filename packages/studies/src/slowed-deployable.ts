import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildArtifact } from "@evenbench/bundle";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";

/**
 * Builds a Node deployable whose handler of one case takes `fraction` longer than it should: it computes as always, and
 * then spins for that fraction of the time that it took. Everything else is the real thing.
 *
 * @returns the deployable's folder, below `folder`.
 */
export async function buildSlowed(caseId: string, fraction: number, folder: string): Promise<string> {
  const original = join(repositoryRoot, "packages/cases", caseId, "case.ts");
  const source = `import original from ${JSON.stringify(original)};
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
  const casesDirectory = join(folder, "cases");
  await mkdir(join(casesDirectory, caseId), { recursive: true });
  await writeFile(join(casesDirectory, caseId, "case.ts"), source);
  const { artifact } = await buildArtifact({ casesDirectory, outDirectory: join(folder, "bundle") });
  const deployable = join(folder, "deployable");
  const buildDeployable = await bundleBuilder("node");
  await buildDeployable({ artifactDirectory: artifact, outDirectory: deployable });
  return deployable;
}
