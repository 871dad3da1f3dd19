import type { PlatformRecord } from "@evenbench/core";
import { COLOURS, counted, listed, metricName, range } from "@evenbench/page";
import type { Run, RunMachine, RunTarget } from "@evenbench/results";
import type { Comparison } from "@evenbench/stats";

/** Name of the page of a run's report, in the run's folder. */
export const REPORT_FILE = "report.html";
/** Name of the picture of a run's report, in the run's folder. */
export const CARD_FILE = "card.png";

/** The part of a target that its name and its colour in a report depend on. */
export interface Placed extends Pick<RunTarget, "name" | "app" | "platform" | "copyOf"> {
  readonly about?: Partial<PlatformRecord>;
}

/** The look of a target in a report. */
export interface TargetDisplay {
  /** Number of its colour, from 0. */
  readonly colour: number;
  /** Short name: the platform's, or the target's own where that does not tell it from others. */
  readonly shown: string;
  /** Name in sentences, headings and pictures: "Cloudflare's workerd". */
  readonly spoken: string;
}

/** Number of colours, the last ones, that are for targets whose platform has none of its own. */
const SHARED = 3;

/**
 * Gives targets their names and colours. An A/A copy has the colour of its target. Of several targets of one app on one
 * platform (two builds of its pages, two deployments) the first has the platform's colour.
 */
export function shownTargets<Target extends Placed>(
  targets: readonly Target[],
): readonly (Target & TargetDisplay)[] {
  const originals = targets.filter(({ copyOf }) => copyOf === null);
  const alikeOf = ({ app, platform }: Placed) =>
    originals.filter((other) => other.app === app && other.platform === platform);
  const isFirst = (target: Placed) => alikeOf(target)[0]?.name === (target.copyOf ?? target.name);
  const ownColourOf = (target: Placed) => (isFirst(target) ? (target.about?.colour ?? null) : null);
  const ownerOf = (target: Placed) =>
    (isFirst(target) ? target.platform : null) ?? target.copyOf ?? target.name;
  const others = [...new Set(targets.filter((target) => ownColourOf(target) === null).map(ownerOf))].sort();
  return targets.map((target) => {
    const { name, platform, copyOf, about } = target;
    const original = copyOf ?? name;
    const isAlone = platform !== null && alikeOf(target).length === 1;
    const colour = ownColourOf(target) ?? COLOURS - SHARED + (others.indexOf(ownerOf(target)) % SHARED);
    const spoken = isAlone ? (about?.spoken ?? platform) : original;
    return {
      ...target,
      colour,
      shown: isAlone && copyOf === null ? platform : name,
      spoken: copyOf === null ? spoken : `copy of ${spoken}`,
    };
  });
}

/** Names the baseline among one app's targets: the one that has a copy, or the first; "" for no target. */
export function baselineOf(targets: readonly Placed[]): string {
  return targets.find(({ copyOf }) => copyOf !== null)?.copyOf ?? targets[0]?.name ?? "";
}

/** Compares two targets by the one order of platforms on all pages. */
export function byPlatform(a: Placed, b: Placed): number {
  return (a.about?.colour ?? COLOURS) - (b.about?.colour ?? COLOURS);
}

/** A target of a run with its look. */
export type ReportTarget = RunTarget & TargetDisplay;

/** Names the metric of cases, in words. */
export function metricsOf(cases: readonly unknown[]): string {
  return cases.length === 0 ? "" : metricName("lastByteMs");
}

/** A case with its comparisons by one metric. */
interface CaseComparisons<Item> {
  readonly headline: { readonly comparisons: readonly Item[] } | null;
}

/** A platform that is compared, whatever its targets are called in each app. */
export interface PlatformColumn<Item = Comparison> {
  /** Short name of the platform. */
  readonly name: string;
  /** Name in sentences. */
  readonly spoken: string;
  /** Name in the head of a table of ratios. */
  readonly title: string;
  /** Number of its colour. */
  readonly colour: number;
  /** Finds the platform's comparison in a case; null where it has none there. */
  comparisonIn(report: CaseComparisons<Item>): Item | null;
}

/** Lists the platforms that are compared in any of the cases, in the order of the targets. */
export function platformColumns<Item extends { readonly target: string }>(
  targets: readonly ReportTarget[],
  cases: readonly CaseComparisons<Item>[],
): readonly PlatformColumn<Item>[] {
  const compared = new Set(
    cases.flatMap(({ headline }) => headline?.comparisons.map(({ target }) => target)),
  );
  const columns = Map.groupBy(
    targets.filter(({ name }) => compared.has(name)),
    ({ shown }) => shown,
  );
  return [...columns].map(([name, group]) => ({
    name,
    spoken: group[0]?.spoken ?? name,
    colour: group[0]?.colour ?? 0,
    title: (name === group[0]?.platform ? group[0].about?.shortTitle : null) ?? name,
    comparisonIn: ({ headline }) =>
      headline?.comparisons.find(({ target }) => group.some(({ name }) => name === target)) ?? null,
  }));
}

/** Gives a target's name as sentences say it; its own name where it is not known. */
export function spokenOf(targets: readonly Pick<ReportTarget, "name" | "spoken">[], target: string): string {
  return targets.find(({ name }) => name === target)?.spoken ?? target;
}

/** Lists the baselines of cases, as words. */
export function spokenBaselines(
  targets: readonly ReportTarget[],
  cases: readonly { readonly baseline: string }[],
): string {
  return listed([...new Set(cases.map(({ baseline }) => spokenOf(targets, baseline)))]);
}

/** The part of a machine's record that says how many cores it has. */
type Cores = Pick<RunMachine, "cores" | "limits">;
/** The part of a machine's record that names its processor. */
type Processor = Cores & Pick<RunMachine, "cpuModel">;

/**
 * Writes a number of cores: "2 cores", or what of them could be used: "1 of 2 cores (CPU affinity)", "0.3 of a core
 * (limit of the container)".
 */
export function coresWords({ cores, limits }: Cores, noun = "core"): string {
  const usable = Math.min(cores, limits?.usableCores ?? cores);
  const quota = limits?.coreQuota ?? null;
  if (quota !== null && quota < usable) {
    const of = quota < 1 ? `a ${noun}` : counted(cores, noun);
    return `${Number(quota.toPrecision(2))} of ${of} (limit of the container)`;
  }
  return usable < cores ? `${usable} of ${counted(cores, noun)} (CPU affinity)` : counted(cores, noun);
}

/** Names a machine's processor and cores: "Intel Xeon, 2 cores". */
export function processorOf(machine: Processor): string {
  return `${processorName(machine)}, ${coresWords(machine)}`;
}

/**
 * A processor's name without its maker's signs and words: "Intel Xeon 2.50GHz" of "Intel(R) Xeon(R) Processor @
 * 2.50GHz".
 */
export function processorName({ cpuModel }: Pick<Processor, "cpuModel">): string {
  return cpuModel
    .replace(/\((?:R|TM)\)/g, "")
    .replace(/ (?:CPU|Processor)\b/g, "")
    .replace(" @ ", " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Says how the cores were divided between client and servers. */
export function coreDivision({ coresApart: apart }: Pick<RunMachine, "coresApart">): string {
  return apart === null ? "shared by client and servers" : `client ${apart.client}, servers ${apart.servers}`;
}

/** Names a machine in one line: processor, cores and system. */
export function machineLine(machine: Processor & Pick<RunMachine, "system">): string {
  return `${processorOf(machine)}, ${machine.system}`;
}

/** Says where a run was measured: on one machine, over the network, or from vantages. */
export function placeOf({ plan, machine, vantages }: Pick<Run, "plan" | "machine" | "vantages">): string {
  if (machine === null) {
    return `Measured from ${listed((vantages ?? []).map(({ name }) => name))}`;
  }
  if (!isLocalRun({ plan, machine })) {
    return `Measured over the network from ${processorOf(machine)}`;
  }
  const isPlatforms = plan.targets.some(({ about }) => about?.isHosted);
  const cores = coresWords(machine, machine.coresApart === null ? "shared core" : "core");
  return `Local run${isPlatforms ? ", not the platforms' networks or hardware" : ""}: one machine, ${processorName(machine)}, ${cores}`;
}

/** Tells whether client and servers were one machine. */
export function isLocalRun({
  plan,
  machine,
}: Pick<Run, "machine"> & {
  readonly plan: { readonly targets: readonly Pick<RunTarget, "url">[] };
}): boolean {
  return machine !== null && plan.targets.every(({ url }) => url === null || isHere(url));
}

/** Tells whether a URL is on this machine. */
function isHere(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}

/** Says how many trials the cases had: "3 to 5 trials a case". Empty without a case. */
export function trialsWords(summaries: readonly { readonly trials: number }[]): readonly string[] {
  const trials = summaries.map(({ trials }) => trials);
  const all = { minimum: Math.min(...trials), maximum: Math.max(...trials) };
  return trials.length === 0 ? [] : [`${range(all)} trials a case`];
}

/** Lists the runtimes of the targets with their versions of V8, each once. */
export function whatRan({ identities }: Pick<Run, "identities">): string {
  const runtimes = Object.values(identities).flatMap(({ facts: { runtime, v8 } }) => {
    if (runtime == null) {
      return [];
    }
    return v8 == null ? runtime : `${runtime} (V8 ${v8})`;
  });
  return [...new Set(runtimes)].sort().join(" · ");
}

/**
 * Says that a run's runtimes carry different versions of V8, and what is not known of that, in a sentence: "V8 differs
 * (Node.js 14.6, workerd 15.8): how much of a difference that explains was not measured."; null where they carry one
 * version, or do not say.
 */
export function enginesNote({ identities }: Pick<Run, "identities">): string | null {
  const engines = Object.values(identities).flatMap(({ facts: { runtime, v8 } }) => {
    const [version] = /^\d+\.\d+/.exec(v8 ?? "") ?? [];
    const [name] = /^.+?(?= v?\d)/.exec(runtime ?? "") ?? [];
    return version === undefined || name === undefined ? [] : [{ version, name: `${name} ${version}` }];
  });
  if (new Set(engines.map(({ version }) => version)).size < 2) {
    return null;
  }
  const names = [...new Set(engines.map(({ name }) => name))].sort();
  return `V8 differs (${names.join(", ")}): how much of a difference that explains was not measured.`;
}

/** A comparison of two targets in a case. */
export interface ComparedPair {
  /** Title of the case. */
  readonly title: string;
  readonly target: string;
  /** Name of the target that it is compared with. */
  readonly baseline: string;
}

/**
 * Names the cases in which a platform differs from what it is compared with by its adapter as well as by its runtime, so
 * that a difference may come from either, in a sentence for each platform: "In Next.js page (@opennextjs/cloudflare
 * against next) Cloudflare's workerd differs from Node.js in adapter and runtime: a difference may come from either. In
 * the other 6 cases both run one file." Empty where no adapter and runtime are known to differ.
 */
export function adapterNotes(
  { identities, plan }: Pick<Run, "identities" | "plan">,
  compared: readonly ComparedPair[],
): readonly string[] {
  const targets = shownTargets(plan.targets);
  const factOf = (name: string, fact: string) => identities[name]?.facts[fact] ?? null;
  const differ = (fact: string, { target, baseline }: ComparedPair) => {
    const own = factOf(target, fact);
    const other = factOf(baseline, fact);
    return own !== null && other !== null && own !== other;
  };
  const isOneFile = ({ target, baseline }: ComparedPair) => {
    const artifact = identities[target]?.pins.artifact;
    return artifact !== undefined && artifact === identities[baseline]?.pins.artifact;
  };
  const groups = Map.groupBy(compared, ({ target, baseline }) =>
    JSON.stringify([spokenOf(targets, target), spokenOf(targets, baseline)]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group as [ComparedPair];
    const both = group.filter(
      (pair) => !isOneFile(pair) && differ("adapter", pair) && differ("runtime", pair),
    );
    if (both.length === 0) {
      return [];
    }
    const nameOf = (target: string) => (factOf(target, "adapter") ?? "").replace(/ v?\d\S*$/, "");
    const where = both.map(
      ({ title, target, baseline }) => `${title} (${nameOf(target)} against ${nameOf(baseline)})`,
    );
    const others = group.filter((pair) => !both.includes(pair));
    const rest =
      others.length > 0 && others.every(isOneFile)
        ? ` In the other ${counted(others.length, "case")} both run one file.`
        : "";
    const who = `${spokenOf(targets, first.target)} differs from ${spokenOf(targets, first.baseline)}`;
    return `In ${listed(where)} ${who} in adapter and runtime: a difference may come from either.${rest}`;
  });
}

/** The start of a setting's value that is a version: digests do not begin so. */
const IS_VERSION = /^\d+\.\d/;

/** Something that a run's targets are made with, and its version. */
export interface NamedVersion {
  readonly name: string;
  readonly version: string;
}

/**
 * Lists the versions of what a run's targets are made with: runtimes, then frameworks, then adapters; each once, and
 * with its app where apps have several of one name.
 */
export function runtimeVersions({ identities }: Pick<Run, "identities">): readonly NamedVersion[] {
  const all = Object.values(identities);
  const frameworks = all.flatMap(({ app, pins }) =>
    Object.entries(pins).flatMap(([pin, version]) =>
      IS_VERSION.test(version) ? [{ app, text: `${pin.split(".").at(-1)} ${version}` }] : [],
    ),
  );
  const fact = (name: string) => all.map(({ app, facts }) => ({ app, text: facts[name] ?? "" }));
  const versions = [...fact("runtime"), ...frameworks, ...fact("adapter")].flatMap(({ app, text }) => {
    const [, name, version] = /^(.+?) v?(\d\S*)/.exec(text) ?? [];
    return name === undefined || version === undefined ? [] : [{ app, name, version }];
  });
  const named = versions.map(({ app, name, version }) => {
    const isSingle = versions.every((other) => other.name !== name || other.version === version);
    return { name: isSingle ? name : `${name} (${app})`, version };
  });
  return [...new Map(named.map((entry) => [`${entry.name} ${entry.version}`, entry])).values()];
}

/** Pattern of the repositories whose host has forms for issues: other hosts have other addresses of them. */
const HAS_FORMS = /^https:\/\/github\.com\//;

/**
 * Gives the address of the form by which others add the numbers of their machine,
 * `.github/ISSUE_TEMPLATE/measured.yml`; null where the repository's host has none.
 *
 * @param repository address of the repository; null where a run does not say it.
 */
export function measuredForm(repository: string | null): string | null {
  return repository !== null && HAS_FORMS.test(repository)
    ? `${repository}/issues/new?template=measured.yml`
    : null;
}
