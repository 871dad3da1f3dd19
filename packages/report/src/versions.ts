import type { Run } from "@evenbench/results";

/** Something that was measured with, and which one of it. */
export interface Version {
  /** Such as "Node.js"; with the app behind it where apps have different ones: "react (next)". */
  readonly name: string;
  readonly version: string;
  readonly of: "runtime" | "framework" | "adapter";
}

/** Settings of targets whose values are versions begin so; digests do not. */
const IS_VERSION = /^\d+\.\d/;

const ORDER = ["runtime", "framework", "adapter"] as const;

/** Versions as targets named them, each once: of runtimes, then of frameworks, then of adapters. */
export function versionsOf({ identities }: Pick<Run, "identities">): readonly Version[] {
  const told = Object.values(identities).flatMap(({ app, pins, facts }) =>
    [
      ...split(facts.runtime, "runtime"),
      ...Object.entries(pins).flatMap(([pin, version]) => {
        const name = pin.split(".").at(-1) ?? pin;
        return IS_VERSION.test(version) ? [{ name, version, of: "framework" as const }] : [];
      }),
      ...split(facts.adapter, "adapter"),
    ].map((one) => ({ app, ...one })),
  );
  const byName = Map.groupBy(told, ({ name }) => name);
  const named = told.map(({ app, name, version, of }): Version => {
    const isOne = new Set(byName.get(name)?.map((one) => one.version)).size === 1;
    return { name: isOne ? name : `${name} (${app})`, version, of };
  });
  const ordered = named.sort((a, b) => ORDER.indexOf(a.of) - ORDER.indexOf(b.of));
  const once = Map.groupBy(ordered, (one) => `${one.name} ${one.version}`);
  return [...once.values()].flatMap(([first]) => first ?? []);
}

/** "workerd 1.20261117.1" in its two parts; what follows the version, such as "(standalone)", is left out. */
function split(told: string | null | undefined, of: Version["of"]): readonly Version[] {
  const [, name, version] = /^(.+?) v?(\d\S*)/.exec(told ?? "") ?? [];
  return name === undefined || version === undefined ? [] : [{ name, version, of }];
}
