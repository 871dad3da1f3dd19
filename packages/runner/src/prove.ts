import { existsSync, readFileSync } from "node:fs";
import {
  type BuildRecord,
  type CaseManifest,
  type Host,
  type Identity,
  messageOf,
  openRecord,
} from "@evenbench/core";
import { isOpenToOthers, quoteLog } from "@evenbench/host";
import type { Expectation } from "@evenbench/probe";
import {
  formatPreflight,
  type PreflightProblem,
  type PreflightResult,
  preflight,
  unknownSetting,
} from "@evenbench/probe/preflight";
import { describeDeath, type InstanceSettings, logFileIn, startHosts } from "./instance.ts";
import { PartError, type ProofTerms, RunError, type Target, type Unmeasurable } from "./options.ts";
import type { EventSink } from "./session.ts";
import { isOfPlatform, pathOf, preflightTargetOf } from "./targets.ts";
import type { SeenTimes } from "./warm-up-needs.ts";

/** Targets that have to do the same work in each of these cases. */
export interface ToProve {
  readonly targets: readonly Target[];
  readonly cases: readonly CaseManifest[];
}

/** The part of a session that preflight needs. */
export interface ProofSession {
  readonly signal: AbortSignal;
  readonly recorder: EventSink;
  readonly instanceSettings: InstanceSettings;
}

/** The findings of preflight on the targets that can be measured. */
export interface PreflightOutcome {
  /** Identities by name of the target. */
  readonly identities: Record<string, Identity>;
  /** Expected answers by case id, then by name of the target. */
  readonly expectations: Record<string, Readonly<Record<string, Expectation>>>;
  /** Masks that were found for own servers, by case id, then by name of the target. */
  readonly masks: Record<string, PreflightResult["masks"][string]>;
  /** Which answers came from caches, in words, by id of each case that has such answers. */
  readonly cached: Record<string, string>;
  /** Times that preflight saw, by case id. */
  readonly seen: Record<string, SeenTimes>;
}

/**
 * Starts each target once, and checks that all do the same work with equal settings. What is allowed to
 * differ becomes events. An abort ends it early, with what was found so far.
 *
 * @throws {RunError} if a target does not start, or preflight finds a problem.
 */
export async function checkTargets(
  groups: readonly ToProve[],
  terms: ProofTerms,
  session: ProofSession,
): Promise<PreflightOutcome> {
  const proved: PreflightOutcome = {
    identities: openRecord(),
    expectations: openRecord(),
    masks: openRecord(),
    cached: openRecord(),
    seen: openRecord(),
  };
  const { signal, recorder } = session;
  for (const group of groups) {
    // Sides are meant to differ: each is started by itself, and held against its own answer.
    const parts = terms.sides ? group.targets.map((side) => ({ ...group, targets: [side] })) : [group];
    for (const part of parts) {
      try {
        const { rest, found } = await verifyRest(part, terms, session);
        if (signal.aborted) {
          return proved;
        }
        addFindings(proved, rest, found);
        for (const name of found.open) {
          recorder.event("open-to-others", `${name} listens for other machines, too.`, { target: name });
        }
        if (!terms.sides) {
          reportFindings(found, terms.expectedToDiffer ?? [], recorder);
        }
      } catch (error) {
        if (signal.aborted) {
          return proved;
        }
        if (!terms.sides) {
          throw error;
        }
        dropSide(part, group, error, recorder);
      }
    }
  }
  for (const manifest of groups.flatMap(({ cases }) => cases)) {
    const { id, path, cached } = withCache(manifest, proved);
    if (cached !== undefined) {
      recorder.event("cache-measured", `${path}: ${cached}`, { caseId: id });
    }
    const empty = emptyAnswersOf(manifest, proved);
    if (empty.length > 0) {
      recorder.event("answer-empty", `${path}: a body of 0 bytes comes from ${empty.join(", ")}.`, {
        caseId: id,
      });
    }
  }
  const unknown = unknownSetting(terms.allow ?? [], proved.identities);
  if (unknown !== null) {
    throw new RunError(unknown);
  }
  return proved;
}

/** Verifies targets and cases; without those that cannot be measured, where the terms leave them out. */
async function verifyRest(
  asked: ToProve,
  terms: ProofTerms,
  session: ProofSession,
): Promise<{ readonly rest: ToProve; readonly found: Verified }> {
  let rest = asked;
  for (;;) {
    try {
      return { rest, found: await verify(rest, terms, session) };
    } catch (error) {
      if (terms.leavesOut !== true || session.signal.aborted || !(error instanceof PartError)) {
        throw error;
      }
      const { targets, cases, code, why } = error.part;
      rest = {
        targets: rest.targets.filter(({ name }) => !targets.includes(name)),
        cases: rest.cases.filter(({ id }) => !cases.includes(id)),
      };
      if (rest.targets.length === 0 || rest.cases.length === 0 || targets.length + cases.length === 0) {
        throw error;
      }
      for (const target of targets) {
        session.recorder.event("target-dropped", why, { target, why: code });
      }
      for (const caseId of cases) {
        session.recorder.event("case-failed", why, { caseId });
      }
    }
  }
}

/**
 * Finds what has to be left out for the rest to be measured: a target that has a problem in every case, where others
 * have not; else the cases with problems. Nothing where a problem is about no case.
 */
function unmeasurableOf(
  { problems }: Pick<PreflightResult, "problems">,
  { targets, cases }: ToProve,
): Omit<Unmeasurable, "why" | "code"> {
  const ids = new Set(problems.flatMap(({ caseId }) => caseId ?? []));
  if (problems.some(({ caseId }) => caseId === null)) {
    return { targets: [], cases: [] };
  }
  const own = problems.filter(({ kind }) => OF_ONE_TARGET.includes(kind));
  const failing = targets.filter(({ name }) =>
    cases.every(({ id }) => own.some(({ caseId, values }) => caseId === id && values[name] !== undefined)),
  );
  return failing.length > 0 && failing.length < targets.length
    ? { targets: failing.map(({ name }) => name), cases: [] }
    : { targets: [], cases: [...ids] };
}

/** Kinds of problems that a target has by itself, whatever the others answer. */
const OF_ONE_TARGET: readonly PreflightProblem["kind"][] = ["status", "redirect", "encoding", "unfinished"];

/** Adds to a case that caches answer it, where its answers say so. */
export function withCache(manifest: CaseManifest, { cached }: PreflightOutcome): CaseManifest {
  const says = cached[manifest.id];
  if (says === undefined || manifest.partlyCached) {
    return manifest;
  }
  const before = manifest.cached === undefined ? [] : [manifest.cached];
  const why = [...before, `Its answers come from a cache or a file: ${says}.`].join(" ");
  return { ...manifest, cached: why, answeredBy: manifest.answeredBy ?? "cache" };
}

/**
 * Leaves out a side that cannot be measured.
 *
 * @param part the side alone.
 * @throws {RunError} if it is the first one of its group, the baseline.
 */
function dropSide(part: ToProve, group: ToProve, error: unknown, recorder: EventSink): void {
  const [side] = part.targets;
  if (side === undefined) {
    throw error;
  }
  const why = error instanceof PartError ? { why: error.part.code } : {};
  recorder.event("target-dropped", messageOf(error), { target: side.name, ...why });
  if (side === group.targets[0]) {
    throw new RunError(messageOf(error));
  }
}

/** The result of preflight, with the time to start all targets. */
type Verified = PreflightResult &
  Pick<SeenTimes, "startMs"> & {
    /** Names of the targets whose servers others can reach. */
    readonly open: readonly string[];
  };

/** Starts some targets, asks them for their cases, and stops them. @throws {RunError} if there is a problem. */
async function verify(
  { targets, cases }: ToProve,
  { allow = [], expectedToDiffer = [], sides = false, ...terms }: ProofTerms,
  { signal, instanceSettings }: ProofSession,
): Promise<Verified> {
  const started = performance.now();
  const hosts = await startHosts(targets, instanceSettings, (reasons) =>
    sides ? reasons : `Nothing was measured: ${reasons}\nFix what is wrong, or name the others alone.`,
  );
  const startMs = performance.now() - started;
  const open = targets.flatMap(({ name }, index) => {
    const host = hosts[index];
    return host && isOpenToOthers(Number(new URL(host.url).port)) ? [name] : [];
  });
  const later: (Host | null)[] = [];
  const restart = async () => {
    await Promise.all(hosts.map((host) => host?.stop()));
    later.push(
      ...(await startHosts(targets, instanceSettings, (reasons) => `At its second start: ${reasons}`)),
    );
    return openRecord(
      targets.flatMap(({ name }, index) => {
        const host = later[index];
        return host == null ? [] : [[name, host.url] as const];
      }),
    );
  };
  const areOwnServers = targets.some(({ place, ownServer }) => place === "local" && ownServer !== undefined);
  const asked = sides ? cases.map((manifest) => asSide(manifest, targets)) : cases;
  try {
    const found = await preflight({
      ...terms,
      cases: asked,
      signal,
      timeoutMs: instanceSettings.exchangeTimeoutMs,
      restart: areOwnServers ? restart : undefined,
      targets: targets.map((target, index) => preflightTargetOf(target, hosts[index]?.url)),
      allow: sides ? "all" : [...allow, ...expectedToDiffer],
    });
    if (signal.aborted) {
      return { ...found, startMs, open };
    }
    const differing = found.problems.map(({ what }) => what).join(" ");
    if (!found.ok) {
      const deaths = await deathsOf(targets, later.length > 0 ? later : hosts, found);
      const ofSides = [differing, ...deaths.values()].join(" ");
      throw new PartError(
        sides ? ofSides : await whyNothingIsMeasured(found, targets, instanceSettings, deaths),
        {
          ...unmeasurableOf(found, { targets, cases }),
          code: "bad-answer",
          why: [...deaths.values(), differing].join(" "),
        },
      );
    }
    return {
      ...found,
      startMs,
      open,
      ...(sides && { expectations: expectationsOfSide(found, asked, cases) }),
    };
  } finally {
    await Promise.all([...hosts, ...later].map((host) => host?.stop()));
  }
}

/**
 * Makes the case of one side: asked by the side's own path, held against no golden values, and free to be answered by a
 * cache, whose headers count seconds.
 */
function asSide(manifest: CaseManifest, [side]: readonly Target[]): CaseManifest {
  const path = side === undefined ? manifest.path : pathOf(side, manifest);
  return { ...manifest, path, golden: null, page: null, cached: "A side may be answered by a cache." };
}

/**
 * Gives what a side has to answer: its own answer.
 *
 * @throws {RunError} where that has another status than its case.
 */
function expectationsOfSide(
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

/**
 * Collects how the hosts of targets ended that no longer answer, by the target's name. A server that left the
 * foreground looks like one that is down.
 */
async function deathsOf(
  targets: readonly Target[],
  hosts: readonly (Host | null)[],
  { problems }: PreflightResult,
): Promise<ReadonlyMap<string, string>> {
  const down = problems.filter(({ kind }) => kind === "down").flatMap(({ values }) => Object.keys(values));
  const deaths = new Map<string, string>();
  for (const [index, { name }] of targets.entries()) {
    const host = hosts[index] ?? null;
    if (host === null || !down.includes(name)) {
      continue;
    }
    const how = await describeDeath(host);
    if (how !== null) {
      deaths.set(name, how.trim());
    }
  }
  return deaths;
}

/** Writes why nothing is measured: how servers died, the logs of those to blame, and all problems. */
async function whyNothingIsMeasured(
  found: PreflightResult,
  targets: readonly Target[],
  { logFolder }: InstanceSettings,
  deaths: ReadonlyMap<string, string>,
): Promise<string> {
  const local = targets.filter(({ place }) => place === "local");
  const logFiles = new Map(local.map(({ name }) => [name, logFileIn(logFolder, name)]));
  const explained = await explainThrown(found, logFiles);
  // How a host ended has the end of its log.
  const others = new Map([...logFiles].filter(([name]) => !deaths.has(name)));
  const quotes = [...deaths.values(), ...quoteBlamedLogs(found.problems, others)];
  return [...quotes, formatPreflight(explained)].join("\n\n");
}

/** Adds what preflight found of some targets to the outcome of all. */
function addFindings(
  proved: PreflightOutcome,
  { cases }: ToProve,
  { identities, expectations, exchangeMs, startMs, masks, fromCache }: Verified,
): void {
  Object.assign(proved.identities, identities);
  for (const { id } of cases) {
    if (masks[id] !== undefined) {
      proved.masks[id] = Object.assign(openRecord(), proved.masks[id], masks[id]);
    }
    const says = Object.entries(fromCache[id] ?? {}).map(([target, header]) => `${target} says "${header}"`);
    if (says.length > 0) {
      const saidBefore = proved.cached[id];
      const all = saidBefore === undefined ? says : [saidBefore, ...says];
      proved.cached[id] = all.join(", ");
    }
    const before = proved.seen[id] ?? { exchangeMs: {}, startMs: 0 };
    proved.expectations[id] = Object.assign(openRecord(), proved.expectations[id], expectations[id]);
    proved.seen[id] = {
      exchangeMs: Object.assign(openRecord(), before.exchangeMs, exchangeMs[id]),
      startMs: before.startMs + startMs,
    };
  }
}

/** Names the servers of a user's own that answer 200 with no body where the method has one: that is seldom the work. */
function emptyAnswersOf(
  { id, golden, request }: CaseManifest,
  { expectations }: PreflightOutcome,
): readonly string[] {
  if (golden !== null || request?.method === "HEAD") {
    return [];
  }
  const ofCase = Object.entries(expectations[id] ?? {});
  return ofCase.filter(([, { status, bytes }]) => status === 200 && bytes === 0).map(([name]) => name);
}

/**
 * Finds the answer that a target has to give in a case.
 *
 * @param target its name. Default: any of them, where all have one expectation.
 * @throws {Error} if preflight has not seen it.
 */
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

/** Reports what preflight let pass, as events. */
function reportFindings(
  { differences, toConfirm, warnings, assumed, unknown, headers, hidden }: PreflightResult,
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
  for (const sentence of headers) {
    recorder.event("headers-differ", sentence);
  }
  for (const [caseId, sentences] of Object.entries(hidden)) {
    for (const sentence of sentences) {
      recorder.event("body-masked", sentence, { caseId });
    }
  }
  for (const [caseId, sentence] of Object.entries(differences)) {
    recorder.event("body-varies", sentence, { caseId });
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

/**
 * Adds to each problem of a case that threw what it threw, and where.
 *
 * @param logFiles the targets' logs by target name, which have the stacks.
 * @returns the same result with the error's first line and its place in the sources, such as
 *   "packages/cases/x/case.ts:19".
 */
export async function explainThrown(
  result: PreflightResult,
  logFiles: ReadonlyMap<string, string>,
): Promise<PreflightResult> {
  const problems: PreflightProblem[] = [];
  for (const found of result.problems) {
    const stack = found.kind === "threw" ? stackIn(found, logFiles) : null;
    if (stack === null || found.caseId === null) {
      problems.push(found);
      continue;
    }
    const message = stack.split("\n", 1)[0]?.trim();
    const place = await placeOfStack(stack, found.caseId);
    const where = place === null ? "" : ` (${place})`;
    problems.push({ ...found, what: `${found.what.replace(/\.$/, "")}: ${message}${where}` });
  }
  return { ...result, problems };
}

/** A frame in a case's built module, as all runtimes name it: ".../cases/math.mjs:12:34". */
const FRAME_OF_CASE = /[/\\]cases[/\\]([a-z0-9-]+)\.mjs:(\d+):(\d+)/g;

/**
 * @returns the place in the sources of the innermost frame that is the case's own; null where no frame is.
 */
async function placeOfStack(stack: string, caseId: string): Promise<string | null> {
  const frame = [...stack.matchAll(FRAME_OF_CASE)].find((match) => match[1] === caseId);
  if (frame === undefined) {
    return null;
  }
  // Only the repository's cases have stacks of this form: whoever measures servers of their own needs no
  // bundler.
  const { placeInSources } = await import("@evenbench/bundle");
  return placeInSources(caseId, Number(frame[2]), Number(frame[3]));
}

/**
 * @returns message and frames of what a case threw, from the log of one of the problem's targets; null where
 *   no log has it.
 */
function stackIn({ caseId, values }: PreflightProblem, logFiles: ReadonlyMap<string, string>): string | null {
  const stack = new RegExp(`evenbench: case "${caseId}" threw in instance [0-9a-f]+: (.+(?:\\n +at .+)*)`);
  for (const name of Object.keys(values)) {
    const logFile = logFiles.get(name);
    if (logFile === undefined || !existsSync(logFile)) {
      continue;
    }
    const thrown = stack.exec(readFileSync(logFile, "utf8"))?.[1];
    if (thrown !== undefined) {
      return thrown;
    }
  }
  return null;
}

/**
 * Quotes the logs of the targets that are down, or that answer with an error of their own: a log says why.
 *
 * @param logFiles absolute paths, by name of the target.
 */
export function quoteBlamedLogs(
  problems: readonly PreflightProblem[],
  logFiles: ReadonlyMap<string, string>,
): string[] {
  const blamed = new Set(problems.flatMap(namesBlamed));
  return [...logFiles].filter(([name]) => blamed.has(name)).map(([, logFile]) => quoteLog(logFile));
}

/** Names the targets whose logs say more about a problem. */
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

/**
 * Reads how the local targets' deployables were built, by name of the target; null where there is no record
 * of it.
 */
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
