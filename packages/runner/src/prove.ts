import { type CaseManifest, type Host, messageOf, openRecord, quotesOf } from "@evenbench/core";
import { isOpenToOthers } from "@evenbench/host";
import { preflight, unknownSetting } from "@evenbench/probe/preflight";
import { deathsOf, unmeasurableOf, whyLeftOut, whyNothingIsMeasured } from "./blame.ts";
import { type InstanceSettings, startHosts } from "./instance.ts";
import { PartError, type ProofTerms, RunError, type Target } from "./options.ts";
import {
  addFindings,
  emptyAnswersOf,
  type PreflightOutcome,
  reportFindings,
  type Verified,
  withCache,
} from "./preflight-outcome.ts";
import type { EventSink } from "./recorder.ts";
import { asSide, expectationsOfSide } from "./sides.ts";
import { preflightTargetOf } from "./targets.ts";

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
  /** As `MeasuringSession` has it: a target that did not end a case is left out with the next one. */
  readonly lost: Map<string, string>;
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
        addFindings(proved, rest.cases, found);
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
      const found = await verify(rest, terms, session);
      session.lost.clear();
      return { rest, found };
    } catch (error) {
      if (terms.leavesOut !== true || session.signal.aborted || !(error instanceof PartError)) {
        throw error;
      }
      const { targets, cases, code } = error.part;
      rest = {
        targets: rest.targets.filter(({ name }) => !targets.has(name)),
        cases: rest.cases.filter(({ id }) => !cases.has(id)),
      };
      if (rest.targets.length === 0 || rest.cases.length === 0 || targets.size + cases.size === 0) {
        throw error;
      }
      for (const [target, { message, quotes }] of targets) {
        session.recorder.event("target-dropped", message, { target, why: code, quotes });
      }
      for (const [caseId, { message, quotes }] of cases) {
        session.recorder.event("case-failed", message, { caseId, quotes });
      }
    }
  }
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
  const quotes = quotesOf(error);
  recorder.event("target-dropped", messageOf(error), { target: side.name, quotes, ...why });
  if (side === group.targets[0]) {
    throw new RunError(messageOf(error), quotes);
  }
}

/**
 * Starts some targets, asks them for their cases, and stops them.
 *
 * @throws {RunError} if there is a problem.
 */
async function verify(
  { targets, cases }: ToProve,
  { allow = [], expectedToDiffer = [], sides = false, ...terms }: ProofTerms,
  { signal, instanceSettings, lost }: ProofSession,
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
      targets: targets.map((target, index) => {
        const host = hosts[index];
        return preflightTargetOf(target, host ? { url: host.url, pids: host.pids() } : undefined);
      }),
      allow: sides ? "all" : [...allow, ...expectedToDiffer],
    });
    if (signal.aborted) {
      return { ...found, startMs, open };
    }
    if (!found.ok) {
      const deaths = await deathsOf(targets, later.length > 0 ? later : hosts, found);
      const blame = { targets, settings: instanceSettings, deaths };
      const why = sides ? whyLeftOut(found.problems, blame) : await whyNothingIsMeasured(found, blame);
      throw new PartError(why, {
        ...unmeasurableOf(found, cases, blame, lost),
        code: "bad-answer",
      });
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
