import type { PlatformRecord } from "@evenbench/core";
import type { Run, RunMachine, RunTarget } from "@evenbench/results";
import type { Comparison } from "@evenbench/stats";
import type { CaseReport, ReportTarget } from "./data.ts";
import { counted, listed, metricName, range } from "./format.ts";

export const CARD_FILE = "card.png";

type Placed = Pick<RunTarget, "name" | "app" | "platform" | "copyOf"> & {
  readonly about?: Pick<PlatformRecord, "spoken"> | undefined;
};

/** What each target is called in sentences, headings and pictures, by name: "Cloudflare's workerd". */
export function spokenNames(targets: readonly Placed[]): ReadonlyMap<string, string> {
  const names = platformNames(targets);
  return new Map(
    targets.flatMap(({ name, platform, about }) => {
      const own = names.get(name);
      if (own === undefined) return [];
      return [[name, own === platform ? (about?.spoken ?? own) : own] as const];
    }),
  );
}

export function platformNames(targets: readonly Omit<Placed, "about">[]): ReadonlyMap<string, string> {
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  const alone = ({ app, platform }: Omit<Placed, "about">) =>
    originals.filter((one) => one.app === app && one.platform === platform).length === 1;
  return new Map(
    originals.map((one) => [one.name, one.platform !== null && alone(one) ? one.platform : one.name]),
  );
}

type Headline = Pick<CaseReport, "headline">;

export function metricsOf(cases: readonly Pick<CaseReport, "manifest">[]): string {
  return listed([...new Set(cases.map(({ manifest }) => metricName(manifest.headline)))]);
}

/** A platform that is compared, whatever its targets are called in each app. */
export interface Column {
  readonly name: string;
  readonly spoken: string;
  readonly colour: number;
  comparisonIn(report: Headline): Comparison | null;
}

export function columnsOf(targets: readonly ReportTarget[], cases: readonly Headline[]): readonly Column[] {
  const names = platformNames(targets);
  const spoken = spokenNames(targets);
  const nameOf = (target: string) => names.get(target) ?? target;
  const compared = new Set(
    cases.flatMap(({ headline }) => headline?.comparisons.map(({ target }) => target)),
  );
  const shown = targets.filter(({ name }) => compared.has(name));
  return [...Map.groupBy(shown, ({ name }) => nameOf(name))].map(([name, [first]]) => ({
    name,
    spoken: spoken.get(first?.name ?? "") ?? name,
    colour: first?.colour ?? 0,
    comparisonIn: ({ headline }) =>
      headline?.comparisons.find(({ target }) => nameOf(target) === name) ?? null,
  }));
}

export function baselinesOf(
  targets: readonly Placed[],
  cases: readonly Pick<CaseReport, "baseline">[],
): string {
  const spoken = spokenNames(targets);
  return listed([...new Set(cases.map(({ baseline }) => spoken.get(baseline) ?? baseline))]);
}

export const COLOURS = 8;
/** Of them these are for what has none of its own. */
const SHARED = 3;

export interface Coloured {
  readonly name: string;
  readonly platform: string | null;
  readonly copyOf: string | null;
  readonly about?: Pick<PlatformRecord, "colour">;
}

export function platformColours(targets: readonly Coloured[]): ReadonlyMap<string, number> {
  const others = [...new Set(targets.filter((target) => ownColour(target) === null).map(ownerOf))].sort();
  const colourOf = (target: Coloured) =>
    ownColour(target) ?? COLOURS - SHARED + (others.indexOf(ownerOf(target)) % SHARED);
  return new Map(targets.map((target) => [target.name, colourOf(target)]));
}

/** The one order of platforms on all pages. */
export function byPlatform(a: Coloured, b: Coloured): number {
  return (ownColour(a) ?? COLOURS) - (ownColour(b) ?? COLOURS);
}

function ownColour({ about }: Coloured): number | null {
  return about?.colour ?? null;
}

function ownerOf({ name, platform, copyOf }: Coloured): string {
  return platform ?? copyOf ?? name;
}

type Processor = Pick<RunMachine, "cpuModel" | "cores">;

export function processorOf({ cpuModel, cores }: Processor): string {
  return `${cpuModel}, ${counted(cores, "core")}`;
}

export function coresOf({ coresApart: apart }: Pick<RunMachine, "coresApart">): string {
  return apart === null ? "shared by client and servers" : `client ${apart.client}, servers ${apart.servers}`;
}

export function machineLine(machine: Processor & Pick<RunMachine, "system">): string {
  return `${processorOf(machine)}, ${machine.system}`;
}

export function placeOf({ plan, machine, vantages }: Pick<Run, "plan" | "machine" | "vantages">): string {
  if (machine === null) return `Measured from ${listed((vantages ?? []).map(({ name }) => name))}`;
  const at = plan.targets.filter(({ copyOf }) => copyOf === null).map(({ url, about }) => ({ url, about }));
  if (at.some(({ url }) => url !== null && !isHere(url)))
    return `Measured over the network from ${processorOf(machine)}`;
  const isPlatforms = at.some(({ about }) => about?.isHosted);
  const cores = counted(machine.cores, machine.coresApart === null ? "shared core" : "core");
  return `Local run${isPlatforms ? ", not the platforms' networks or hardware" : ""}: one machine, ${machine.cpuModel}, ${cores}`;
}

function isHere(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

export function trialsWords(cases: readonly Pick<CaseReport, "headline">[]): string | null {
  const trials = cases.flatMap(({ headline }) => headline?.summaries.map((one) => one.trials) ?? []);
  if (trials.length === 0) return null;
  return `${range({ minimum: Math.min(...trials), maximum: Math.max(...trials) })} trials a case`;
}

export function whatRan({ plan, identities }: Pick<Run, "plan" | "identities">): string {
  const names = spokenNames(plan.targets);
  const told = plan.targets.flatMap(({ name, copyOf }) => {
    const facts = identities[name]?.facts;
    const spoken = names.get(name) ?? name;
    if (copyOf !== null || facts?.runtime == null) return [];
    const [{ name: what, version } = { name: facts.runtime, version: "" }] = split(facts.runtime, "runtime");
    const runtime = spoken.endsWith(what) ? version : `on ${what} ${version}`;
    const v8 = facts.v8?.split(".").slice(0, 2).join(".");
    const flags = facts.v8Flags === "none" ? null : facts.v8Flags;
    const besides = [...(v8 === undefined ? [] : [`V8 ${v8}`]), ...(flags == null ? [] : [flags])];
    return [`${spoken} ${runtime}${besides.length === 0 ? "" : ` (${besides.join(", ")})`}`];
  });
  return [...new Set(told)].join(" · ");
}

export interface Version {
  readonly name: string;
  readonly version: string;
  readonly of: "runtime" | "framework" | "adapter";
}

/** Settings of targets whose values are versions begin so; digests do not. */
const IS_VERSION = /^\d+\.\d/;

const ORDER = ["runtime", "framework", "adapter"] as const;

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

function split(told: string | null | undefined, of: Version["of"]): readonly Version[] {
  const [, name, version] = /^(.+?) v?(\d\S*)/.exec(told ?? "") ?? [];
  return name === undefined || version === undefined ? [] : [{ name, version, of }];
}
