// What must not go unseen, built for real: pages that are rendered when their app is built, and one that
// fails while it streams.
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Builder, buildAlteredApp } from "@evenbench/bundle/deployable";
import { repositoryRoot } from "@evenbench/host";
import { createProbe } from "@evenbench/probe";
import { preflight } from "@evenbench/probe/preflight";
import { afterAll, expect, test } from "vitest";
import { discoverTargets, type ServedTarget, useTargets } from "./targets.ts";

const DYNAMIC = 'export const dynamic = "force-dynamic";';
const STREAM = "app/next-stream/page.tsx";

const ALTERATIONS = [
  // The other page keeps its pin: it is to fail when it is asked for, and not when it is built.
  { file: "app/next-page/page.tsx", from: DYNAMIC, to: "" },
  { file: "src/respond.ts", from: 'const dynamic = "force-dynamic";', to: 'const dynamic = "not forced";' },
  {
    file: STREAM,
    from: "  const primes =",
    to: '  if (index === 5) throw new Error("thrown on purpose");\n  const primes =',
  },
];

const next = (await discoverTargets()).filter(({ name }) => name === "next@node");
const folder = join(repositoryRoot, "apps/next");
let deployable: string | undefined;
// A fork may have removed it.
const served = useTargets(async () => {
  const [built] = next;
  if (built === undefined) {
    return [];
  }
  deployable = await mkdtemp(join(folder, "dist/altered-"));
  const { builders }: { builders: { node: Builder } } = await import(
    pathToFileURL(join(folder, "build.ts")).href
  );
  const altered = { app: folder, alterations: ALTERATIONS, deployable };
  await buildAlteredApp({ ...altered, builder: builders.node });
  return [
    { ...built, name: "sound" },
    { ...built, name: "broken", deployable },
  ];
});
afterAll(() => deployable && rm(deployable, { recursive: true }));

const addressed = ({ name, host }: ServedTarget) => ({ name, url: host.url });
const prove = (id: string, targets = served) =>
  preflight({
    targets: targets.map(addressed),
    cases: next.flatMap(({ cases }) => cases.filter((manifest) => manifest.id === id)),
  });
const testNext = test.skipIf(next.length === 0);

testNext(
  "preflight refuses a page that is rendered ahead, and names the page, the target and the pin",
  async () => {
    const { ok, problems } = await prove("next-page");
    const found = (kind: string) => problems.find((problem) => problem.kind === kind);
    expect(ok).toBe(false);
    expect(found("render")).toMatchObject({
      caseId: "next-page",
      values: { sound: "rendered anew for each request", broken: expect.stringContaining("came twice") },
      remedy: expect.stringContaining("force-dynamic"),
    });
    expect(found("cache")?.values.broken).toMatch(/s-maxage/);
    const pin = problems.find((problem) => problem.pin === "dynamic");
    expect(pin?.values).toEqual({ sound: "force-dynamic", broken: "not forced" });
  },
);

testNext("a page that throws while it streams is an error, and no fast sample", async () => {
  expect((await prove("next-stream")).ok).toBe(false);
  const { expectations } = await prove("next-stream", served.slice(0, 1));
  const [expected] = Object.values(expectations["next-stream"] ?? {});
  if (expected === undefined) {
    throw new Error("The sound target did not pass preflight.");
  }
  const probe = createProbe(served[1]?.host.url ?? "");
  const { error, status, firstByteMs } = await probe.exchange("/next-stream", expected, { digest: true });
  await probe.close();
  expect([status, error?.kind]).toEqual([200, "length"]);
  expect(firstByteMs).toBeGreaterThan(0);
});
