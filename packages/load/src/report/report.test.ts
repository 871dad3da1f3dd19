import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { describe, expect, test } from "vitest";
import { type SyntheticLoad, writeSyntheticLoad } from "../../test/synthetic-load.ts";
import { createLoadReport } from "./create-report.ts";

let folder: string;
folderOfEachTest((made) => {
  folder = made;
});

async function reported(options: SyntheticLoad) {
  const run = await writeSyntheticLoad(folder, options);
  const report = await createLoadReport(folder, { width: 100, color: false });
  return { ...report, run, html: await readFile(report.htmlFile, "utf8") };
}

test("the report of a sweep says of each target how many requests it works on at a time and from where they wait", async () => {
  const { terminal, data, html } = await reported({ levels: "concurrency" });
  const [report] = data.cases;
  expect(report?.targets.map(({ saturation }) => saturation?.atATime.toFixed(1))).toEqual(["1.0", "4.0"]);
  expect(report?.targets.map(({ saturation }) => saturation?.queuesFrom)).toEqual([2, 8]);
  expect(terminal).toMatch(/single answers about \S+ requests a second at most, 1\.0 at a time/);
  expect(terminal).toMatch(/fourfold answers about \S+ requests a second at most, 4\.0 at a time/);
  expect(terminal).toMatch(/concurrency 8 .* 9\.\d\d ms/);
  // Latency, answers and CPU time, each with a text in its place; of fewer than 500 requests there is no p99.
  expect(html.match(/<svg [^>]*role="img" aria-label="[^"]*single: /g)).toHaveLength(3);
  expect(html).toMatch(/aria-label="Latency, [^"]*single: 10\.\d ms at concurrency 1/);
  expect(html).toMatch(/<h1>[^<]+ requests a second at most, /);
  expect(html).toContain("p95 needs 100 requests, p99 500.");
  expect(data.notices).toEqual([]);
});

test("a target that answered no request has no result, and no other sentence", async () => {
  const { plan } = await writeSyntheticLoad(folder, { levels: "concurrency" });
  const file = join(folder, "load.json");
  const load = JSON.parse(await readFile(file, "utf8"));
  const failed = { atMs: 1, kind: "case-failed", caseId: plan.cases[0]?.id, target: "single", trial: null };
  const events = [{ ...failed, detail: "single answered no request under any load." }];
  await writeFile(file, JSON.stringify({ ...load, events, status: "failed" }));
  const { terminal, data } = await createLoadReport(folder, { width: 100, color: false });
  expect(terminal).toContain("single ✕ no result: no request to it was answered.");
  expect(terminal).not.toContain("single answers about");
  expect(data.notices[0]).toMatchObject({ severity: "void" });
});

test("the report of a search says the highest rate that held in each trial", async () => {
  const { terminal, data } = await reported({ levels: "rates" });
  const [single, fourfold] = data.cases[0]?.targets ?? [];
  expect(single?.capacity).toMatchObject({ byTrial: [80, 80, 80], unbounded: 0 });
  expect(fourfold?.capacity).toMatchObject({ byTrial: [160, 160, 160], unbounded: 3 });
  expect(terminal).toContain("single holds p90 <= 30 ms up to 80 requests/s");
  expect(terminal).toMatch(/every rate\s+held that was tried/);
  expect(terminal).toContain("160/s fails");
});

describe("what a reader must know", () => {
  test("events and what stages say against themselves become notices, the gravest first", async () => {
    const { run } = await reported({ levels: "concurrency" });
    const [first, second, third, ...others] = run.stages;
    if (first === undefined || second === undefined || third === undefined) {
      throw new Error("no stages");
    }
    const changed = [
      { ...first, late: 50 },
      { ...second, meanInFlight: second.meanInFlight * 2 },
      { ...third, ended: "nothing but errors for 3 s" },
      ...others,
    ];
    const event = { atMs: 1, caseId: null, target: null, trial: null };
    const events = [
      { ...event, kind: "pin-allowed", detail: "React differs." },
      { ...event, kind: "golden-unconfirmed", detail: "All sent the same." },
    ] as const;
    const machine = run.machine && { ...run.machine, coresApart: null };
    const { data } = await reported({ levels: "concurrency", changes: { stages: changed, events, machine } });
    expect(data.notices.map(({ title }) => title)).toEqual([
      "A stage ended early",
      "Settings that should be equal were allowed to differ",
      "A case has no golden values yet",
      "The client was late",
      "Little's law does not hold",
      "Client and servers shared their cores",
    ]);
    expect(data.notices[0]?.severity).toBe("void");
  });

  test("another run on the machine is told by what it does to a load, which has no verdicts", async () => {
    const detail = "Another run measured on this machine.";
    const active = {
      atMs: 1,
      kind: "other-run-active",
      caseId: null,
      target: null,
      trial: null,
      detail,
    } as const;
    const { data } = await reported({ levels: "concurrency", changes: { events: [active] } });
    expect(data.notices).toMatchObject([
      {
        title: "The machine was busy, or changed its speed",
        details: [detail],
        remedy: "Rates may be lower for it, and latencies longer. Load again while nothing else runs.",
      },
    ]);
  });

  test("a load of which nothing was measured promises nothing in its heading", async () => {
    const { html } = await reported({
      levels: "concurrency",
      changes: { status: "interrupted", stages: [] },
    });
    expect(html).toMatch(/<h1>[^<]+: nothing was measured\.<\/h1>/);
  });

  test("a load that failed says so", async () => {
    const { terminal, html } = await reported({ levels: "concurrency", changes: { status: "failed" } });
    for (const text of [terminal, html]) {
      expect(text).toContain("The load failed");
    }
  });
});

test("who sent the requests is named; an instance that never sees a second request is explained", async () => {
  const client = { nonce: "0", startedAt: "2026-11-22T10:00:00.000Z", logged: 1, lacks: null };
  const clients = ["a 1/2", "b 2/2"].map((name) => ({ ...client, name }));
  const { run } = await reported({ levels: "concurrency" });
  const plan = { ...run.plan, engine: { name: "k6", version: "2.2.0" } };
  const { terminal } = await reported({ levels: "concurrency", changes: { plan, clients } });
  expect(terminal).toContain("Requests were sent by k6 2.2.0 on 2 machines (a 1/2, b 2/2).");
  expect(terminal).toMatch(/answers\/s +p50 +p95 +p99 +in flight +outstanding/);
  expect(terminal).not.toContain("dropped");
});
