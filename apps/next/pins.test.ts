// What must not go unseen, built for real: an app without its pin, and a page that fails while it streams.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unrecorded } from "@evenbench/deployable";
import { discoverPlatforms } from "@evenbench/host";
import { preflight } from "@evenbench/preflight";
import { createProbe } from "@evenbench/probe";
import { afterAll, beforeAll, expect, test } from "vitest";
import app from "./app.ts";
import { buildForNode } from "./build/node.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const SOURCES = ["app", "src", "next.config.ts", "tsconfig.json", "package.json"];

let folder: string;
let stop: (() => Promise<void>)[];
let sound: string;
let broken: string;

beforeAll(async () => {
  // Below the app, where its dependencies are found.
  folder = await mkdtemp(join(here, "dist/broken-"));
  stop = [];
  const source = join(folder, "source");
  for (const name of SOURCES) await cp(join(here, name), join(source, name), { recursive: true });
  await edit(join(source, "tsconfig.json"), "../../tsconfig.json", "../../../../../tsconfig.json");
  await edit(join(source, "app/layout.tsx"), 'export const dynamic = "force-dynamic";', "");
  await edit(
    join(source, "app/next-stream/page.tsx"),
    "  const primes =",
    '  if (index === 5) throw new Error("thrown on purpose");\n  const primes =',
  );
  await edit(
    join(source, "app/next-stream/page.tsx"),
    "const PARTS",
    'export const dynamic = "force-dynamic";\nconst PARTS',
  );
  const deployable = join(folder, "deployable");
  await buildForNode(source, deployable, unrecorded);
  sound = await serve(app.deployable("node") ?? "", "sound");
  broken = await serve(deployable, "broken");
}, 180_000);

afterAll(async () => {
  await Promise.all((stop ?? []).map((one) => one()));
  await rm(folder, { recursive: true, force: true });
});

async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, "utf8");
  if (!text.includes(from)) throw new Error(`${file} has no "${from}" to be replaced.`);
  await writeFile(file, text.replace(from, to));
}

async function serve(deployable: string, name: string): Promise<string> {
  const platform = (await discoverPlatforms()).find(({ id }) => id === "node");
  if (platform === undefined) throw new Error("There is no platform node.");
  const logFile = join(folder, `${name}.log`);
  const host = await platform.serve({ deployable, port: 0, logFile, cores: null, workers: 1, v8Flags: [] });
  stop.push(() => host.stop());
  return host.url;
}

const caseOf = async (id: string) => (await app.cases()).filter((one) => one.id === id);
const both = () => [
  { name: "sound", url: sound },
  { name: "broken", url: broken },
];

test("preflight refuses an app built without force-dynamic, and names the page and the target", async () => {
  const { ok, problems } = await preflight({ targets: both(), cases: await caseOf("next-page") });
  expect(ok).toBe(false);
  const rendering = problems.find(({ kind }) => kind === "render");
  expect(rendering).toMatchObject({
    caseId: "next-page",
    values: { sound: "rendered anew for each request", broken: expect.stringContaining("came twice") },
    remedy: expect.stringContaining("force-dynamic"),
  });
  // The framework itself tells caches another story then, too.
  expect(problems.find(({ kind }) => kind === "cache")?.values.broken).toMatch(/s-maxage/);
});

test("a page that throws while it streams fails preflight, and is an error of the exchange and no fast sample", async () => {
  const cases = await caseOf("next-stream");
  const refused = await preflight({ targets: both(), cases });
  expect(refused.ok).toBe(false);
  const { expectations } = await preflight({ targets: both().slice(0, 1), cases });
  const expected = expectations["next-stream"];
  if (expected === undefined) throw new Error("The sound target did not pass preflight.");
  const probe = createProbe(broken);
  const { error, status, firstByteMs } = await probe.exchange("/next-stream", expected, true);
  await probe.close();
  expect(status).toBe(200);
  expect(firstByteMs).toBeGreaterThan(0);
  expect(error?.kind).toBe("length");
});
