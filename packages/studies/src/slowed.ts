import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildArtifact } from "@evenbench/bundle";
import { bundleBuilder } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";
import { type LocalTarget, run } from "@evenbench/runner";

const CASES = ["html-template", "html-template-large", "react-ssr", "math", "trig"];
const BUILDS = { same: 0, "slower 5 %": 0.05, "slower 10 %": 0.1 };

/**
 * A long run of Node.js against builds whose cases take longer, and against one that is the same. Such a run is a pool.
 *
 * @returns its folder.
 */
export async function measureSlowed(
  node: LocalTarget,
  options: {
    readonly trials: number;
    readonly cases: readonly string[];
    readonly builds: string;
    readonly out?: string;
  },
): Promise<string> {
  const ids = options.cases.length === 0 ? CASES : options.cases;
  const targets = [node];
  for (const [name, slowdown] of Object.entries(BUILDS)) {
    const slowdowns = Object.fromEntries(ids.map((id) => [id, slowdown]));
    targets.push({ ...node, name, deployable: await buildSlowed(slowdowns, join(options.builds, name)) });
  }
  const manifests = await node.app.cases();
  const { folder } = await run({
    targets,
    cases: { [node.app.id]: manifests.filter(({ id }) => ids.includes(id)) },
    otherCaseIds: manifests.map(({ id }) => id).filter((id) => !ids.includes(id)),
    // The slowed builds are other artifacts; that is the point of them.
    allow: ["artifact"],
    trials: options.trials,
    ...(options.out === undefined ? {} : { out: options.out }),
  });
  return folder;
}

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
