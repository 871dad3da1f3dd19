import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildArtifact } from "@evenbench/bundle";
import { bundleBuilder, recordBuild } from "@evenbench/bundle/deployable";
import { ARTIFACT_APP } from "@evenbench/core";
import { repositoryRoot } from "@evenbench/host";
import { type LocalTarget, type RunOptions, run } from "@evenbench/runner";

// Long runs whose fresh instances are a pool for the study "pool".

const SLOWED = ["html-template", "html-template-large", "react-ssr", "math", "trig"];
const BUILDS = { same: 0, "slower 5 %": 0.05, "slower 10 %": 0.1 };
type PoolOptions = Pick<RunOptions, "trials" | "out" | "allow">;

/** Node.js against builds whose cases take longer, and against one that is the same. */
export async function measureSlowed(
  node: LocalTarget,
  cases: readonly string[],
  builds: string,
  options: PoolOptions,
): Promise<string> {
  const ids = cases.length === 0 ? SLOWED : cases;
  const targets = [node];
  for (const [name, slowdown] of Object.entries(BUILDS)) {
    const slowdowns = Object.fromEntries(ids.map((id) => [id, slowdown]));
    targets.push({ ...node, name, deployable: await buildSlowed(slowdowns, join(builds, name)) });
  }
  // The slowed builds are other artifacts; that is the point of them.
  return measurePool(targets, ids, { ...options, allow: ["artifact"] });
}

async function measurePool(
  targets: readonly LocalTarget[],
  ids: readonly string[],
  options: PoolOptions,
): Promise<string> {
  const apps = new Map(targets.map(({ app }) => [app.id, app]));
  const all = await Promise.all([...apps].map(async ([id, app]) => [id, await app.cases()] as const));
  const cases = Object.fromEntries(all.map(([id, own]) => [id, own.filter((one) => ids.includes(one.id))]));
  const { folder } = await run({
    ...options,
    targets: targets.filter(({ app }) => cases[app.id]?.length !== 0),
    cases,
    otherCaseIds: all.flatMap(([, own]) => own.map(({ id }) => id)).filter((id) => !ids.includes(id)),
    onEvent: ({ detail }) => console.error(`! ${detail}`),
  });
  return folder;
}

/** Builds a deployable in which some cases do more work, by a fraction of the time that they take. */
export async function buildSlowed(
  slowdowns: Readonly<Record<string, number>>,
  folder: string,
  platform = "node",
): Promise<string> {
  const casesDirectory = join(folder, "cases");
  for (const [caseId, fraction] of Object.entries(slowdowns)) {
    await mkdir(join(casesDirectory, caseId), { recursive: true });
    await writeFile(join(casesDirectory, caseId, "case.ts"), sourceOf(caseId, fraction));
  }
  const { artifact } = await buildArtifact({ casesDirectory, outDirectory: join(folder, "bundle") });
  const deployable = join(folder, "deployable");
  const build = await bundleBuilder(platform);
  const isBuilt = await recordBuild({ app: ARTIFACT_APP, platform, deployable }, (record) =>
    build({ artifactDirectory: artifact, outDirectory: deployable, record }),
  );
  if (!isBuilt) throw new Error(`The slowed build for ${platform} failed.`);
  return deployable;
}

/** workerd's clock ticks once a millisecond: the work is counted, and its amount follows a mean of many requests. */
function sourceOf(caseId: string, fraction: number): string {
  const original = JSON.stringify(join(repositoryRoot, "packages/cases", caseId, "case.ts"));
  if (fraction === 0) return `export { default } from ${original};\n`;
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
