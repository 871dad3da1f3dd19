import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildArtifact } from "@evenbench/bundle";
import { bundleBuilder, recordBuild } from "@evenbench/bundle/deployable";
import { ARTIFACT_APP } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { type LocalTarget, type RunOptions, run } from "@evenbench/runner";

/** Cases that are slowed where none are named. */
const SLOWED = ["html-template", "html-template-large", "react-ssr", "math", "trig"];
/** The builds that are measured: the fraction of its time by which each takes longer, by name. */
const BUILDS = { same: 0, "slower 5 %": 0.05, "slower 10 %": 0.1 };

/**
 * Measures a long run of Node.js against builds whose cases take longer, and one that is the same, for the study
 * "pool".
 *
 * @param cases ids of those that are slowed; empty for the usual ones.
 * @param builds folder that takes the builds.
 * @returns the run's folder.
 */
export async function measureSlowed(
  node: LocalTarget,
  cases: readonly string[],
  builds: string,
  options: Pick<RunOptions, "trials" | "out">,
): Promise<string> {
  const ids = cases.length === 0 ? SLOWED : cases;
  const targets = [node];
  for (const [name, slowdown] of Object.entries(BUILDS)) {
    targets.push({ ...node, name, deployable: await buildSlowed(ids, slowdown, join(builds, name)) });
  }
  const all = await node.app.cases();
  const { folder } = await run({
    ...options,
    targets,
    cases: { [node.app.id]: all.filter(({ id }) => ids.includes(id)) },
    otherCaseIds: all.map(({ id }) => id).filter((id) => !ids.includes(id)),
    // The slowed builds are other artifacts; that is the point of them.
    allow: ["artifact"],
    onEvent: ({ detail }) => console.error(`! ${detail}`),
  });
  return folder;
}

/**
 * Builds a deployable in which some cases do more work.
 *
 * @param fraction of a case's time that the work takes: 0.05 makes it 5 % slower, 0 changes nothing.
 * @param folder takes the build.
 * @returns the deployable's folder.
 * @throws where the build fails.
 */
export async function buildSlowed(
  caseIds: readonly string[],
  fraction: number,
  folder: string,
  platform = "node",
): Promise<string> {
  const casesDirectory = join(folder, "cases");
  for (const caseId of caseIds) {
    await mkdir(join(casesDirectory, caseId), { recursive: true });
    await writeFile(join(casesDirectory, caseId, "case.ts"), slowedSource(caseId, fraction));
  }
  const { artifact } = await buildArtifact({ casesDirectory, outDirectory: join(folder, "bundle") });
  const deployable = join(folder, "deployable");
  const build = await bundleBuilder(platform);
  const isBuilt = await recordBuild({ app: ARTIFACT_APP, platform, deployable }, (record, outDirectory) =>
    build({ artifactDirectory: artifact, outDirectory, record }),
  );
  if (!isBuilt) {
    throw new Error(`The slowed build for ${platform} failed.`);
  }
  return deployable;
}

/**
 * Writes the source of a slowed case. workerd's clock ticks once a millisecond: the work is counted in steps, and
 * its amount follows a mean of many requests.
 */
function slowedSource(caseId: string, fraction: number): string {
  const original = JSON.stringify(join(repositoryRoot, "packages/cases", caseId, "case.ts"));
  if (fraction === 0) {
    return `export { default } from ${original};\n`;
  }
  return `import original from ${original};
let sink = 1;
function work(steps) {
  for (let step = 0; step < steps; step++) sink = (sink * 48271) % 2147483647;
}
function measureStepsPerMs() {
  let most = 0;
  for (let turn = 0; turn < 6; turn++) {
    const startedAt = performance.now();
    work(1e7);
    most = Math.max(most, 1e7 / (performance.now() - startedAt));
  }
  return most;
}
let stepsPerMs = null;
let meanMs = null;
export default {
  ...original,
  async handle(request, parameters, context) {
    stepsPerMs ??= measureStepsPerMs();
    const startedAt = performance.now();
    const response = await original.handle(request, parameters, context);
    const ms = performance.now() - startedAt;
    meanMs = meanMs === null ? ms : meanMs + (ms - meanMs) / 10;
    work(meanMs * ${fraction} * stepsPerMs);
    return response;
  },
};
`;
}
