// Several machines that put one load on a target together: here they are processes of this machine, with k6's
// own division of the load.
import { join } from "node:path";
import { folderOfEachTest } from "@evenbench/host/testing/folder";
import { type LoadSample, readLoad } from "@evenbench/results";
import { afterEach, expect, test, vi } from "vitest";
import { NEEDS_K6, ratePlanOf, startCountingServer } from "../../test/remote/index.ts";
import { collectLoad } from "./collect.ts";
import { type RatePlan, readPlan } from "./plan.ts";
import { parsePlaces, runVantages } from "./play.ts";
import { writePlan } from "./write-plan.ts";

const TOKEN = "feedfacefeedfacefeedfacefeedface";
let folder: string;
folderOfEachTest((own) => {
  folder = own;
});
afterEach(() => void vi.unstubAllEnvs());

async function written(plan: RatePlan) {
  const at = join(folder, "plan");
  const asked = await writePlan(plan, at, ["eu-central-1"]);
  const read = await readPlan(at);
  if (read.plan.kind !== "rate") throw new Error("The plan is of another kind.");
  return { at, asked, read: { ...read, plan: read.plan } };
}

async function samplesOf(run: string): Promise<readonly LoadSample[]> {
  const samples: LoadSample[] = [];
  expect((await readLoad(run, (sample) => samples.push(sample))).damage).toBeNull();
  return samples;
}

test(
  "two machines make one rate in equal parts, in turns, and their logs become one load",
  NEEDS_K6,
  async () => {
    await using server = await startCountingServer();
    const { at, read } = await written(
      ratePlanOf({
        ...{ origin: server.origin, isClosed: true, trials: 2 },
        // Machines may begin as far apart as a quarter of a stage.
        ...{ perSecond: 25, stageMs: 4000 },
      }),
    );
    vi.stubEnv("EVENBENCH_TOKEN", TOKEN);
    const outcomes = await runVantages({
      read,
      places: parsePlaces(["a=local", "b=local"]),
      together: true,
    });
    expect(outcomes.map(({ problem }) => problem)).toEqual([null, null]);
    expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
    const { folder: made, run } = await collectLoad({
      ...read,
      logs: ["a", "b"].map((name) => join(at, "logs", `${name}.log`)),
      out: join(folder, "results"),
    });
    expect(run).toMatchObject({ status: "complete", machine: null });
    expect(run.clients?.map(({ name, lacks }) => [name, lacks])).toEqual([
      ["a 1/2", null],
      ["b 2/2", null],
    ]);
    expect(run.stages).toHaveLength(2);
    for (const stage of run.stages) {
      // 25 a second for 4 s.
      expect(stage.sent + stage.dropped).toBe(100);
      expect(stage.completed).toBeGreaterThan(0);
      expect(stage.ended).toBeNull();
    }
    const samples = await samplesOf(made);
    const sent = run.stages.reduce((sum, stage) => sum + stage.sent, 0);
    expect(samples).toHaveLength(sent);
    // One each to open the connections, where the machine is fast enough for that.
    expect(server.requests.length).toBeGreaterThan(sent);
    expect(server.requests.length).toBeLessThanOrEqual(sent + 2 * 8);
    // Each connection belongs to one machine.
    expect(new Set(samples.map(({ connection }) => connection)).size).toBeLessThanOrEqual(8);
    const due = samples
      .filter(({ stage }) => stage === 0)
      .map(({ intendedAtMs }) => Math.round(intendedAtMs / 40))
      .sort((a, b) => a - b);
    // Nobody sends what is another one's to send.
    expect(new Set(due).size).toBe(due.length);
  },
);
