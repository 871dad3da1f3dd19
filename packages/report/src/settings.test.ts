import { expect, test } from "vitest";
import { analysed, syntheticRun } from "../test/synthetic.ts";
import { planEntries, settingGroups } from "./settings.ts";

const run = syntheticRun({});

/** Gives an entry of the plan by its name. */
const entryOf = (name: string, of = run) => new Map(planEntries(of)).get(name);

test("how far off CPU time can be is said for a request, by the requests that a trial had", () => {
  const lacks = "a reading can be short by up to 20 ms, which the next one has";
  expect(entryOf("CPU time and memory")).toMatch(
    new RegExp(`${lacks}: over a trial \\(50 requests here\\) at most 0\\.40\\d* ms a request$`),
  );
  const usage = run.usage.map((account, index) => ({ ...account, exchanges: index === 0 ? 10 : 50 }));
  expect(entryOf("CPU time and memory", { ...run, usage })).toMatch(
    /\(10 to 50 requests here\) at most 0\.40\d* ms to 2\.00 ms a request$/,
  );
  expect(entryOf("CPU time and memory", { ...run, usage: [] })).toBe("not reported: no local instance");
});

test("trials are said to be fresh starts, and what makes a case have more of them", () => {
  expect(entryOf("Trials")).toBe("5 for each case, each a fresh start");
  const open = { ...run, plan: { ...run.plan, trials: { minimum: 3, maximum: 10 } } };
  expect(entryOf("Trials", open)).toBe(
    "3 to 10 for each case, each a fresh start, as many as the time is for while it is unclear",
  );
});

test("a function that is built for another runtime than it runs on here is said to be", () => {
  const said = "nodejs24.x: an adapter takes no newer one";
  const data = analysed({ rounds: 5 }, ({ identities, ...rest }) => {
    const { vercel } = identities;
    return vercel === undefined
      ? { ...rest, identities }
      : {
          ...rest,
          identities: {
            ...identities,
            vercel: { ...vercel, facts: { ...vercel.facts, functionRuntime: said } },
          },
        };
  });
  const rows = settingGroups(data).flatMap(({ table }) => table.rows);
  const cells = rows.find(([name]) => name === "functionRuntime")?.map((cell) => JSON.stringify(cell)) ?? [];
  expect(cells.join()).toContain(`built for ${said}; run here on Node.js 24.21.0`);
});
