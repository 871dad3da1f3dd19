import { type BuildRecord, type CaseManifest, type Identity, messageOf, openRecord } from "@evenbench/core";
import { quoteLog } from "@evenbench/host";
import type { Expectation } from "@evenbench/probe";
import {
  describeUnconfirmed,
  formatPreflight,
  type PreflightOptions,
  type PreflightProblem,
  type PreflightResult,
  preflight,
  unknownSetting,
} from "@evenbench/probe/preflight";
import { type InstanceSettings, logFileIn, startHosts } from "./instance.ts";
import { type ProofTerms, RunError, type Target } from "./options.ts";
import type { EventSink } from "./session.ts";
import { pathOf, preflightTargetOf } from "./targets.ts";
import type { SeenTimes } from "./warm-up-needs.ts";

export interface ToProve {
  readonly targets: readonly Target[];
  readonly cases: readonly CaseManifest[];
}

export interface ProofSession {
  readonly signal: AbortSignal;
  readonly recorder: EventSink;
  readonly instanceSettings: InstanceSettings;
}

export type Proved = ReturnType<typeof nothingYet>;

/** Expectations and what was seen are by case id. */
function nothingYet() {
  return {
    identities: openRecord<Identity>(),
    expectations: openRecord<Readonly<Record<string, Expectation>>>(),
    seen: openRecord<SeenTimes>(),
  };
}

/** @throws {RunError} when a target does not start, or preflight finds a problem. */
export async function prove(
  groups: readonly ToProve[],
  terms: ProofTerms,
  session: ProofSession,
): Promise<Proved> {
  const proved = nothingYet();
  const { signal } = session;
  for (const group of groups) {
    try {
      await (terms.sides ? proveSides(group, session, proved) : proveAlike(group, terms, session, proved));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (signal.aborted) return proved;
  }
  const unknown = unknownSetting(terms.allow ?? [], proved.identities);
  if (unknown !== null) throw new RunError(unknown);
  return proved;
}

async function proveAlike(
  group: ToProve,
  {
    otherCaseIds = [],
    allow = [],
    expectedToDiffer = [],
    sameWork = "proven",
    asksForGolden = true,
  }: ProofTerms,
  session: ProofSession,
  proved: Proved,
): Promise<void> {
  const asked = { otherCaseIds, allow: [...allow, ...expectedToDiffer], sameWork };
  const toldOf = (found: PreflightResult) => (asksForGolden ? found : { ...found, toConfirm: {} });
  const { logFolder } = session.instanceSettings;
  const local = group.targets.filter(({ place }) => place === "local");
  const logFiles = new Map(local.map(({ name }) => [name, logFileIn(logFolder, name)]));
  const found = await verify(group, asked, session, {
    notStarted: (reasons) =>
      `Nothing was measured: ${reasons}\nFix what is wrong, or name the other targets with --target.`,
    refused: (refused) =>
      [...quoteBlamedLogs(refused.problems, logFiles), formatPreflight(toldOf(refused))].join("\n\n"),
  });
  if (session.signal.aborted) return;
  take(proved, group, found);
  tell(toldOf(found), expectedToDiffer, session.recorder);
}

/** Each is started by itself, and held against its own answer: sides are meant to differ. */
async function proveSides({ targets, cases }: ToProve, session: ProofSession, proved: Proved): Promise<void> {
  const { recorder, signal } = session;
  for (const target of targets) {
    try {
      for (const manifest of cases) if (!signal.aborted) await proveSide(target, manifest, session, proved);
    } catch (error) {
      if (signal.aborted) return;
      recorder.event("target-dropped", messageOf(error), { target: target.name });
      if (target === targets[0]) throw new RunError(messageOf(error));
    }
  }
  for (const manifest of cases)
    for (const sentence of describeSides(targets, manifest, proved)) recorder.event("body-varies", sentence);
}

async function proveSide(
  target: Target,
  manifest: CaseManifest,
  session: ProofSession,
  proved: Proved,
): Promise<void> {
  const { id, page, golden } = manifest;
  const path = pathOf(target, manifest);
  const group = { targets: [target], cases: [{ ...manifest, path, golden: null, page: null }] };
  const found = await verify(group, { allow: "all" }, session, {
    notStarted: (reasons) => reasons,
    refused: ({ problems }) => problems.map(({ what }) => what).join(" "),
  });
  const expected = found.expectations[id]?.[target.name];
  if (expected === undefined) return;
  const wanted = golden?.status ?? 200;
  if (expected.status !== wanted)
    throw new RunError(`${path} answers HTTP ${expected.status} instead of ${wanted}.`);
  const ofPage = { ...expected, isPage: page !== null };
  take(proved, group, { ...found, expectations: { [id]: { [target.name]: ofPage } } });
}

interface Words {
  notStarted(reasons: string): string;
  refused(found: PreflightResult): string;
}

async function verify(
  { targets, cases }: ToProve,
  asked: Pick<PreflightOptions, "otherCaseIds" | "allow" | "sameWork">,
  { signal, instanceSettings }: ProofSession,
  words: Words,
): Promise<PreflightResult & Pick<SeenTimes, "startMs">> {
  const started = performance.now();
  const hosts = await startHosts(targets, instanceSettings, words.notStarted);
  const startMs = performance.now() - started;
  try {
    const found = await preflight({
      ...{ ...asked, cases, signal, timeoutMs: instanceSettings.exchangeTimeoutMs },
      targets: targets.map((target, index) => preflightTargetOf(target, hosts[index]?.url)),
    });
    if (!found.ok && !signal.aborted) throw new RunError(words.refused(found));
    return { ...found, startMs };
  } finally {
    await Promise.all(hosts.map((host) => host?.stop()));
  }
}

function take(
  proved: Proved,
  { cases }: ToProve,
  { identities, expectations, exchangeMs, startMs }: Awaited<ReturnType<typeof verify>>,
): void {
  Object.assign(proved.identities, identities);
  for (const { id } of cases) {
    const before = proved.seen[id] ?? { exchangeMs: {}, startMs: 0 };
    proved.expectations[id] = Object.assign(openRecord(), proved.expectations[id], expectations[id]);
    proved.seen[id] = {
      exchangeMs: Object.assign(openRecord(), before.exchangeMs, exchangeMs[id]),
      startMs: before.startMs + startMs,
    };
  }
}

/** @param target default: any, where all have one. */
export function expectationOf({ expectations }: Proved, caseId: string, target?: string): Expectation {
  const ofCase = expectations[caseId] ?? {};
  const expected = target === undefined ? Object.values(ofCase)[0] : ofCase[target];
  if (expected === undefined) throw new Error(`Preflight let "${caseId}" pass without an expectation.`);
  return expected;
}

function tell(
  { differences, toConfirm, warnings, assumed, unknown }: PreflightResult,
  expectedToDiffer: readonly string[],
  recorder: EventSink,
): void {
  for (const { what, values, caseId } of assumed) {
    const seen = Object.entries(values).map(([target, value]) => `${target}: ${value}`);
    recorder.event("work-unproven", [what, ...seen].join(" "), { caseId });
  }
  for (const sentence of unknown) recorder.event("settings-unknown", sentence);
  for (const sentence of differences) recorder.event("body-varies", sentence);
  for (const [caseId, golden] of Object.entries(toConfirm)) {
    recorder.event("golden-unconfirmed", describeUnconfirmed(caseId, golden), { caseId });
  }
  for (const { pin, what, values } of warnings) {
    if (pin !== null && expectedToDiffer.includes(pin)) continue;
    recorder.event("pin-allowed", `${what} It was allowed: ${JSON.stringify(values)}.`);
  }
}

function describeSides(
  all: readonly Target[],
  manifest: CaseManifest,
  { identities, expectations }: Proved,
): readonly string[] {
  const targets = all.filter(({ name }) => identities[name] !== undefined);
  const pinsOf = ({ name }: Target) => identities[name]?.pins ?? {};
  const bodyOf = ({ name }: Target) => {
    const { bytes, sha256 = "" } = expectations[manifest.id]?.[name] ?? {};
    return `${bytes} bytes, ${sha256.slice(0, 8)}`;
  };
  const pins = [...new Set(targets.flatMap((target) => Object.keys(pinsOf(target))))].sort();
  const byPath = Map.groupBy(targets, (target) => pathOf(target, manifest));
  return [
    ...pins.map((pin) =>
      difference(`The setting "${pin}"`, targets, (target) => pinsOf(target)[pin] ?? "(not given)"),
    ),
    ...[...byPath].map(([path, asked]) => difference(`The body of ${path}`, asked, bodyOf)),
  ].filter((sentence) => sentence !== null);
}

function difference(
  what: string,
  targets: readonly Target[],
  inTarget: (target: Target) => string,
): string | null {
  const byValue = Map.groupBy(targets, inTarget);
  if (byValue.size < 2) return null;
  const told = [...byValue].map(([value, who]) => `${value} (${who.map(({ name }) => name).join(", ")})`);
  return `${what} differs: ${told.join("; ")}.`;
}

/** Of targets that are down or answer with an error of their own: there it is said why. */
export function quoteBlamedLogs(
  problems: readonly PreflightProblem[],
  logFiles: ReadonlyMap<string, string>,
): string[] {
  const blamed = new Set(problems.flatMap(namesBlamed));
  return [...logFiles].filter(([name]) => blamed.has(name)).map(([, logFile]) => quoteLog(logFile));
}

function namesBlamed({ kind, values }: PreflightProblem): string[] {
  if (kind === "down") return Object.keys(values);
  if (kind !== "status") return [];
  return Object.keys(values).filter((name) => name !== "expected" && values[name]?.startsWith("HTTP 5"));
}

export async function readDeployables(
  targets: readonly Target[],
): Promise<Record<string, BuildRecord | null>> {
  const local = targets
    .filter(({ ownServer }) => ownServer === undefined)
    .filter((target) => target.place === "local");
  if (local.length === 0) return {};
  // Whoever measures servers of their own needs nothing of what builds ours.
  const { readBuildRecord } = await import("@evenbench/bundle/deployable");
  const records = local.map(
    async ({ name, deployable }) => [name, await readBuildRecord(deployable)] as const,
  );
  return Object.fromEntries(await Promise.all(records));
}
