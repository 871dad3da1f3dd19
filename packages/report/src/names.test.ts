import type { Run } from "@evenbench/results";
import { expect, test } from "vitest";
import { adapterNotes, coresWords, enginesNote, type Placed, shownTargets } from "./names.ts";

const limits = (usableCores: number, coreQuota: number | null = null) => ({
  limits: { usableCores, coreQuota, memoryBytes: null },
});

test.each([
  [{ cores: 1 }, "1 core"],
  [{ cores: 2, ...limits(2) }, "2 cores"],
  [{ cores: 2, ...limits(1) }, "1 of 2 cores (CPU affinity)"],
  [{ cores: 8, ...limits(8, 0.3) }, "0.3 of a core (limit of the container)"],
  [{ cores: 8, ...limits(4, 1.5) }, "1.5 of 8 cores (limit of the container)"],
  [{ cores: 8, ...limits(2, 4) }, "2 of 8 cores (CPU affinity)"],
])("%j is called %s", (machine, words) => {
  expect(coresWords(machine)).toBe(words);
});

test("cores that client and servers share are called so with their limits", () => {
  expect(coresWords({ cores: 2, ...limits(1) }, "shared core")).toBe("1 of 2 shared cores (CPU affinity)");
});

test("two builds of one app on one platform have their targets' names, and each a colour of its own", () => {
  const on = (name: string, platform: string, colour: number, copyOf: string | null = null): Placed => {
    return { name, app: "next", platform, copyOf, about: { spoken: `${platform} itself`, colour } };
  };
  const shown = shownTargets([
    on("next-node", "node", 0),
    on("next-node~copy", "node", 0, "next-node"),
    on("next-cloudflare", "cloudflare", 1),
    on("vinext-cloudflare", "cloudflare", 1),
    on("vinext-cloudflare~copy", "cloudflare", 1, "vinext-cloudflare"),
  ]);
  expect(shown.map(({ spoken }) => spoken).slice(0, 4)).toEqual([
    "node itself",
    "copy of node itself",
    "next-cloudflare",
    "vinext-cloudflare",
  ]);
  const [node, copyOfNode, first, second, copyOfSecond] = shown.map(({ colour }) => colour);
  expect([copyOfNode, copyOfSecond]).toEqual([node, second]);
  expect(new Set([node, first, second]).size).toBe(3);
  expect(first).toBe(1);
});

test("cases in which a platform's adapter differs as well as its runtime are named; those that run one file are counted", () => {
  const identityOf = (runtime: string, adapter: string | null, artifact?: string) => ({
    facts: { runtime, ...(adapter !== null && { adapter }) },
    pins: artifact === undefined ? {} : { artifact },
  });
  const identities = {
    node: identityOf("Node.js 26.12.1", "srvx 1.0.8", "abc"),
    cloudflare: identityOf("workerd 1.20261117.1", "own 1.0.0", "abc"),
    "next-node": identityOf("Node.js 26.12.1", "next 16.4.6"),
    "next-cloudflare": identityOf("workerd 1.20261117.1", "@opennextjs/cloudflare 1.20.17"),
    "next-vercel": identityOf("Node.js 26.12.1", "vercel 64.0.2"),
  };
  const targets = Object.keys(identities).map((name) => {
    const platform = name.replace("next-", "");
    const spoken = { node: "Node.js", cloudflare: "workerd", vercel: "Vercel" }[platform];
    return { name, app: name === platform ? "bundle" : "next", platform, copyOf: null, about: { spoken } };
  });
  const run = { identities, plan: { targets } } as unknown as Pick<Run, "identities" | "plan">;
  const page = (target: string) => ({ title: "Next.js page", target, baseline: "next-node" });
  const plain = { title: "Empty", target: "cloudflare", baseline: "node" };
  expect(adapterNotes(run, [plain, page("next-cloudflare"), page("next-vercel")])).toEqual([
    "In Next.js page (@opennextjs/cloudflare against next) workerd differs from Node.js in adapter and runtime: a difference may come from either. In the other 1 case both run one file.",
  ]);
  // A platform on the baseline's own runtime differs in its adapter alone.
  expect(adapterNotes(run, [plain, page("next-vercel")])).toEqual([]);
});

test("of runtimes with several versions of V8 is said that nobody measured what that explains", () => {
  const identityOf = (runtime: string | null, v8: string | null) => ({ facts: { runtime, v8 } });
  const noteOf = (...identities: readonly unknown[]) =>
    enginesNote({ identities: Object.fromEntries(identities.entries()) as unknown as Run["identities"] });
  const node = identityOf("Node.js 26.12.1", "14.6.202.34-node.40");
  const workerd = identityOf("workerd 1.20261117.1", "15.8.62.5");
  expect(noteOf(node, workerd, node)).toBe(
    "V8 differs (Node.js 14.6, workerd 15.8): how much of a difference that explains was not measured.",
  );
  expect(noteOf(node, node)).toBeNull();
  expect(noteOf(node, identityOf("Bun 1.3.0", null))).toBeNull();
  expect(noteOf()).toBeNull();
});
