// What changes from one second, minute or start to the next is found before it ruins a run.
import { setTimeout as delay } from "node:timers/promises";
import type { CaseManifest } from "@evenbench/core";
import { type AskedCase, asksOwnServers, caseSourceOf, isWorthAsking } from "./asked-case.ts";
import { type Answers, askOnce, type Connected, connectTarget } from "./asking.ts";
import { showsMinute, untilNextMinute } from "./minute-clock.ts";
import { problemOfCase, problemOfTarget } from "./no-answer.ts";
import type { CollectedFindings, PreflightOptions } from "./options.ts";
import { textOf } from "./whole-response.ts";

/**
 * Milliseconds until a case is asked for once more: longer than a second, which many clocks show, and than a
 * timer may be early.
 */
export const LATER_MS = 1100;

/** Asks for a case once more, so that what changes from one second to the next is found before it ruins a run. */
export async function askLater(
  { manifest, answers }: AskedCase,
  reached: Set<Connected>,
  { laterMs = LATER_MS, signal }: PreflightOptions,
  found: CollectedFindings,
): Promise<void> {
  for (const [index, { target: name, responses, askedAt }] of answers.entries()) {
    const target = [...reached].find((connected) => connected.name === name);
    if (target === undefined) {
      continue;
    }
    await delay(Math.max(0, askedAt + laterMs - performance.now()), undefined, { signal }).catch(() => {});
    try {
      const later = await askOnce(target, manifest);
      answers[index] = { target: name, responses: [...responses, later], askedAt, freshAt: [0] };
    } catch (error) {
      found.problems.push(problemOfCase(target, manifest, error, caseSourceOf(manifest, found.identities)));
      reached.delete(target);
    }
  }
}

/** A server's timer may be late by this, in milliseconds. */
const AFTER_THE_MINUTE_MS = 500;

/**
 * Asks own servers once more when the next minute has begun, for the cases whose answers show the present one: a
 * clock without seconds would otherwise be found by the run that it ruins.
 */
export async function askInNextMinute(
  asked: readonly AskedCase[],
  reached: Set<Connected>,
  options: PreflightOptions,
  found: CollectedFindings,
): Promise<void> {
  if (!asksOwnServers(options) || options.signal?.aborted) {
    return;
  }
  const shown = asked.filter(
    (askedCase) => isWorthAsking(askedCase, options, found) && askedCase.answers.some(showsItsMinute),
  );
  if (shown.length === 0) {
    return;
  }
  const { signal, onWait, nextMinuteMs = untilNextMinute(Date.now()) + AFTER_THE_MINUTE_MS } = options;
  onWait?.(
    `${shown.map(({ manifest }) => manifest.path).join(", ")} may show a clock without seconds: preflight waits ${Math.ceil(nextMinuteMs / 1000)} s for the next minute, and asks again.`,
  );
  await delay(nextMinuteMs, undefined, { signal }).catch(() => {});
  for (const askedCase of shown) {
    await askLater(askedCase, reached, { ...options, laterMs: 0 }, found);
  }
}

/** Tells whether answers show the minute in which they were asked for, or that of the last one. */
function showsItsMinute({ responses, askedAt }: Answers): boolean {
  const firstAtMs = performance.timeOrigin + askedAt;
  return responses.some(({ body }) => {
    const text = textOf(body);
    return showsMinute(text, firstAtMs) || showsMinute(text, Date.now());
  });
}

/**
 * Asks own servers for all cases once more after another start, so that what changes from start to start is found.
 */
export async function askAfterRestart(
  asked: readonly AskedCase[],
  reached: ReadonlySet<Connected>,
  options: PreflightOptions,
  found: CollectedFindings,
): Promise<void> {
  const { restart, signal } = options;
  if (restart === undefined || !asksOwnServers(options) || signal?.aborted) {
    return;
  }
  if (!asked.every((askedCase) => askedCase.isWhole && isWorthAsking(askedCase, options, found))) {
    return;
  }
  const urls = await restart();
  for (const target of reached) {
    const url = urls[target.name];
    if (url === undefined) {
      continue;
    }
    const again = connectTarget({ ...target, url }, options);
    try {
      for (const { manifest, answers } of asked) {
        const index = answers.findIndex(({ target: name }) => name === target.name);
        const before = answers[index];
        if (before !== undefined) {
          answers[index] = await withFreshAnswers(before, again, manifest);
        }
      }
    } catch (error) {
      found.problems.push(problemOfTarget(again, "/", error, null));
    } finally {
      again.fetchOptions.agent.destroy();
    }
  }
}

async function withFreshAnswers(
  { responses, freshAt, ...before }: Answers,
  again: Connected,
  manifest: CaseManifest,
): Promise<Answers> {
  const fresh = [await askOnce(again, manifest), await askOnce(again, manifest)];
  return { ...before, responses: [...responses, ...fresh], freshAt: [...freshAt, responses.length] };
}
