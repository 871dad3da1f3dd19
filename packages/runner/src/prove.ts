import { existsSync, readFileSync } from "node:fs";
import { type BuildRecord, type CaseManifest, type Identity, messageOf, openRecord } from "@evenbench/core";
import { quoteLog } from "@evenbench/host";
import type { Expectation } from "@evenbench/probe";
import {
  formatPreflight,
  type PreflightProblem,
  type PreflightResult,
  preflight,
  unknownSetting,
} from "@evenbench/probe/preflight";
import { type InstanceSettings, logFileIn, startHosts } from "./instance.ts";
import { type ProofTerms, RunError, type Target } from "./options.ts";
import type { EventSink } from "./session.ts";
import { isOfPlatform, pathOf, preflightTargetOf } from "./targets.ts";
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

export type PreflightOutcome = ReturnType<typeof emptyOutcome>;

/** Expectations and what was seen are by case id. */
function emptyOutcome() {
  return {
    identities: openRecord<Identity>(),
    expectations: openRecord<Readonly<Record<string, Expectation>>>(),
    seen: openRecord<SeenTimes>(),
  };
}

/** @throws {RunError} when a target does not start, or preflight finds a problem. */
export async function checkTargets(
  groups: readonly ToProve[],
  terms: ProofTerms,
  session: ProofSession,
): Promise<PreflightOutcome> {
  const proved = emptyOutcome();
  const { signal, recorder } = session;
  for (const group of groups) {
    // Sides are meant to differ: each is started by itself, and held against its own answer.
    const parts = terms.sides ? group.targets.map((side) => ({ ...group, targets: [side] })) : [group];
    for (const part of parts) {
      try {
        const found = await verify(part, terms, session);
        if (signal.aborted) {
          return proved;
        }
        take(proved, part, found);
        if (!terms.sides) {
          tell(found, terms.expectedToDiffer ?? [], recorder);
        }
      } catch (error) {
        if (signal.aborted) {
          return proved;
        }
        const [side] = part.targets;
        if (!terms.sides || side === undefined) {
          throw error;
        }
        recorder.event("target-dropped", messageOf(error), { target: side.name });
        if (side === group.targets[0]) {
          throw new RunError(messageOf(error));
        }
      }
    }
  }
  const unknown = unknownSetting(terms.allow ?? [], proved.identities);
  if (unknown !== null) {
    throw new RunError(unknown);
  }
  return proved;
}

type Verified = PreflightResult & Pick<SeenTimes, "startMs">;

async function verify(
  { targets, cases }: ToProve,
  { allow = [], expectedToDiffer = [], sides = false, ...terms }: ProofTerms,
  { signal, instanceSettings }: ProofSession,
): Promise<Verified> {
  const started = performance.now();
  const hosts = await startHosts(targets, instanceSettings, (reasons) =>
    sides
      ? reasons
      : `Nothing was measured: ${reasons}\nFix what is wrong, or name the other targets with --target.`,
  );
  const startMs = performance.now() - started;
  const asked = sides ? cases.map((manifest) => asSide(manifest, targets)) : cases;
  try {
    const found = await preflight({
      ...terms,
      cases: asked,
      signal,
      timeoutMs: instanceSettings.exchangeTimeoutMs,
      targets: targets.map((target, index) => preflightTargetOf(target, hosts[index]?.url)),
      allow: sides ? "all" : [...allow, ...expectedToDiffer],
    });
    if (signal.aborted) {
      return { ...found, startMs };
    }
    const differing = found.problems.map(({ what }) => what).join(" ");
    if (!found.ok) {
      throw new RunError(sides ? differing : refusal(found, targets, instanceSettings));
    }
    return { ...found, startMs, ...(sides && { expectations: ofSide(found, asked, cases) }) };
  } finally {
    await Promise.all(hosts.map((host) => host?.stop()));
  }
}

function asSide(manifest: CaseManifest, [side]: readonly Target[]): CaseManifest {
  const path = side === undefined ? manifest.path : pathOf(side, manifest);
  return { ...manifest, path, golden: null, page: null };
}

/** @throws {RunError} where it answers with another status than its case. */
function ofSide(
  { expectations }: PreflightResult,
  asked: readonly CaseManifest[],
  cases: readonly CaseManifest[],
): Verified["expectations"] {
  const byCase = cases.map(({ id, page, golden }, index) => {
    const byName = Object.entries(expectations[id] ?? {}).map(([name, expected]) => {
      const wanted = golden?.status ?? 200;
      if (expected.status !== wanted) {
        throw new RunError(`${asked[index]?.path} answers HTTP ${expected.status} instead of ${wanted}.`);
      }
      return [name, { ...expected, isPage: page !== null }] as const;
    });
    return [id, openRecord(byName)] as const;
  });
  return openRecord(byCase);
}

function refusal(
  found: PreflightResult,
  targets: readonly Target[],
  { logFolder }: InstanceSettings,
): string {
  const local = targets.filter(({ place }) => place === "local");
  const logFiles = new Map(local.map(({ name }) => [name, logFileIn(logFolder, name)]));
  const explained = explainThrown(found, logFiles);
  return [...quoteBlamedLogs(found.problems, logFiles), formatPreflight(explained)].join("\n\n");
}

function take(
  proved: PreflightOutcome,
  { cases }: ToProve,
  { identities, expectations, exchangeMs, startMs }: Verified,
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
export function expectationOf(
  { expectations }: PreflightOutcome,
  caseId: string,
  target?: string,
): Expectation {
  const ofCase = expectations[caseId] ?? {};
  const expected = target === undefined ? Object.values(ofCase)[0] : ofCase[target];
  if (expected === undefined) {
    throw new Error(`Preflight let "${caseId}" pass without an expectation.`);
  }
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
  for (const sentence of unknown) {
    recorder.event("settings-unknown", sentence);
  }
  for (const sentence of differences) {
    recorder.event("body-varies", sentence);
  }
  for (const [caseId, golden] of Object.entries(toConfirm)) {
    const agreed = `case "${caseId}" has no golden values; all targets agree on ${JSON.stringify(golden)}`;
    recorder.event("golden-unconfirmed", agreed, { caseId });
  }
  for (const { pin, what, values } of warnings) {
    if (pin !== null && expectedToDiffer.includes(pin)) {
      continue;
    }
    recorder.event("pin-allowed", `${what} It was allowed: ${JSON.stringify(values)}.`);
  }
}

/** The same result; of cases that threw it says what, as the targets' logs have it. */
export function explainThrown(
  result: PreflightResult,
  logFiles: ReadonlyMap<string, string>,
): PreflightResult {
  const problems = result.problems.map((found) => {
    if (found.kind !== "threw" || found.caseId === null) {
      return found;
    }
    const thrown = thrownIn(found, found.caseId, logFiles);
    return thrown === null ? found : { ...found, what: `${found.what.replace(/\.$/, "")}: ${thrown}` };
  });
  return { ...result, problems };
}

/** The first line of what a case threw; null where no log has it. */
function thrownIn(
  { values }: PreflightProblem,
  caseId: string,
  logFiles: ReadonlyMap<string, string>,
): string | null {
  const line = new RegExp(`evenbench: case "${caseId}" threw in instance [0-9a-f]+: (.+)`);
  for (const name of Object.keys(values)) {
    const logFile = logFiles.get(name);
    if (logFile === undefined || !existsSync(logFile)) {
      continue;
    }
    const thrown = line.exec(readFileSync(logFile, "utf8"))?.[1];
    if (thrown !== undefined) {
      return thrown.trim();
    }
  }
  return null;
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
  if (kind === "down") {
    return Object.keys(values);
  }
  // All have thrown the same.
  if (kind === "threw") {
    return Object.keys(values).slice(0, 1);
  }
  if (kind !== "status") {
    return [];
  }
  return Object.keys(values).filter((name) => name !== "expected" && values[name]?.startsWith("HTTP 5"));
}

export async function readDeployables(
  targets: readonly Target[],
): Promise<Record<string, BuildRecord | null>> {
  const local = targets.filter((target) => target.place === "local").filter(isOfPlatform);
  if (local.length === 0) {
    return {};
  }
  // Whoever measures servers of their own needs nothing of what builds ours.
  const { readBuildRecord } = await import("@evenbench/bundle/deployable");
  const records = local.map(
    async ({ name, deployable }) => [name, await readBuildRecord(deployable)] as const,
  );
  return Object.fromEntries(await Promise.all(records));
}
