import { expect, test } from "vitest";
import { analysed } from "../test/synthetic.ts";
import { differsSentence } from "./differs.ts";

const { run, cases } = analysed({ rounds: 10 });
const report = cases.find(({ manifest }) => manifest.id === "trig") as (typeof cases)[number];

/** The same case with other engines and other costs of the two targets. */
function differing(target: object, baseline: object, facts: Readonly<Record<string, object>>) {
  const [first] = report.cpu as [(typeof report.cpu)[number]];
  const cpu = [
    { ...first, target: "cloudflare", ...target },
    { ...first, target: "node", ...baseline },
  ];
  const identities = Object.fromEntries(
    Object.entries(run.identities).map(([name, identity]) => [
      name,
      { ...identity, facts: { ...identity.facts, ...facts[name] } },
    ]),
  );
  return differsSentence({ ...report, cpu }, { identities }, "cloudflare", "Cloudflare's workerd");
}

test("what differs is said as one sentence with both values, and never as a cause", () => {
  const sentence = differing(
    { systemShare: 0.31, minorFaults: 2311 },
    { systemShare: 0.11, minorFaults: 22 },
    { node: { v8: "13.6.233.17-node.53" }, cloudflare: { v8: "15.8.62.5" } },
  );
  expect(sentence).toBe(
    "Differs on Cloudflare's workerd: V8 15.8 / 13.6; kernel's share of CPU time 31 % / 11 %; page faults a request 2,311 / 22.",
  );
  expect(sentence).not.toContain("because");
});

test("what is nearly equal, small or not known is not said to differ", () => {
  const near = { systemShare: 0.12, minorFaults: 8 };
  expect(differing(near, { systemShare: 0.11, minorFaults: 2 }, {})).toBe(null);
  expect(differing({ systemShare: null, minorFaults: null }, near, {})).toBe(null);
});
