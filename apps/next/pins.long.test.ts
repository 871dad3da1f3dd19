// What must not go unseen, built for real: an app without its pin, and a page that fails while it streams.
import { serveAltered } from "@evenbench/bundle/deployable/testing";
import { createProbe } from "@evenbench/probe";
import { preflight } from "@evenbench/probe/preflight";
import { expect, test } from "vitest";
import app from "./app.ts";
import { builders } from "./build.ts";

const PIN = 'export const dynamic = "force-dynamic";';
const STREAM = "app/next-stream/page.tsx";

const targets = serveAltered(import.meta, app, builders.node, {
  sources: ["app", "src", "next.config.ts", "tsconfig.json", "package.json"],
  alterations: [
    { file: "app/layout.tsx", from: PIN, to: "" },
    {
      file: "src/respond.ts",
      from: 'import { dynamic } from "../app/layout.tsx";',
      to: 'const dynamic = "not forced";',
    },
    // This page keeps its pin: it is to fail when it is asked for, and not when it is built.
    { file: STREAM, from: "const PARTS", to: `${PIN}\nconst PARTS` },
    {
      file: STREAM,
      from: "  const primes =",
      to: '  if (index === 5) throw new Error("thrown on purpose");\n  const primes =',
    },
  ],
});

const caseOf = async (id: string) => (await app.cases()).filter((one) => one.id === id);

test("preflight refuses an app built without force-dynamic, and names the page and the target", async () => {
  const { ok, problems } = await preflight({ targets, cases: await caseOf("next-page") });
  expect(ok).toBe(false);
  const rendering = problems.find(({ kind }) => kind === "render");
  expect(rendering).toMatchObject({
    caseId: "next-page",
    values: { sound: "rendered anew for each request", broken: expect.stringContaining("came twice") },
    remedy: expect.stringContaining("force-dynamic"),
  });
  expect(problems.find(({ pin }) => pin === "dynamic")?.values).toEqual({
    sound: "force-dynamic",
    broken: "not forced",
  });
  // The framework itself tells caches another story then, too.
  expect(problems.find(({ kind }) => kind === "cache")?.values.broken).toMatch(/s-maxage/);
});

test("a page that throws while it streams fails preflight, and is an error of the exchange and no fast sample", async () => {
  const cases = await caseOf("next-stream");
  expect((await preflight({ targets, cases })).ok).toBe(false);
  const { expectations } = await preflight({ targets: targets.slice(0, 1), cases });
  const [expected] = Object.values(expectations["next-stream"] ?? {});
  if (expected === undefined) throw new Error("The sound target did not pass preflight.");
  const probe = createProbe(targets[1]?.url ?? "");
  const { error, status, firstByteMs } = await probe.exchange("/next-stream", expected, { body: true });
  await probe.close();
  expect(status).toBe(200);
  expect(firstByteMs).toBeGreaterThan(0);
  expect(error?.kind).toBe("length");
});
