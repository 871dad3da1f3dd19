// What a trial showed of its targets that a reader has to know: it is said once of each target in a case.
import { median } from "@evenbench/stats";
import type { CaseState } from "./case-state.ts";
import { distrustAccounts, worksBehind } from "./cpu-watch.ts";
import type { RunningTarget } from "./running-target.ts";

/**
 * Notes which targets have their work done by others; nothing is known of their CPU time from then on.
 *
 * @param state after its warm-up, in which the targets were watched.
 */
export async function noteWorkElsewhere(state: CaseState): Promise<void> {
  const watched = state.going.map(({ name, instance }) => [name, instance.cpu] as const);
  for (const [name, seen] of await distrustAccounts(watched)) {
    state.reportOnce("work-elsewhere", `${name} in ${state.id}: ${seen}`, name);
  }
}

/**
 * Notes that a target works behind its answers: most of its requests took more CPU time than time. Each is looked at by
 * itself, since a few that waited for the work of others would hide it in a mean.
 */
export function noteWorkBehind(state: CaseState, { name }: RunningTarget): void {
  const requests = state.samplesOfTrial.flatMap(({ target, lastByteMs: timeMs, cpuMs }) =>
    target === name && timeMs !== null && cpuMs !== null ? [{ timeMs, cpuMs }] : [],
  );
  const behind = requests.filter(worksBehind);
  if (behind.length > requests.length / 2) {
    const cpuMs = median(behind.map((request) => request.cpuMs));
    const timeMs = median(behind.map((request) => request.timeMs));
    state.reportOnce(
      "work-behind",
      `${name} in ${state.id}: a request took ${cpuMs.toFixed(1)} ms of CPU time and ${timeMs.toFixed(1)} ms to its last byte.`,
      name,
    );
  }
}

/** Number of bytes a second from which on a log takes a part of a target's time. */
export const HEAVY_BYTES_PER_SECOND = 1_000_000;

/** Notes that a target writes much into its log. @param elapsedMs milliseconds since it was started. */
export function noteHeavyLog(state: CaseState, { name, instance }: RunningTarget, elapsedMs: number): void {
  const perSecond = (instance.loggedBytes() * 1000) / elapsedMs;
  if (perSecond >= HEAVY_BYTES_PER_SECOND) {
    state.reportOnce(
      "log-heavy",
      `${name} in ${state.id}: ${(perSecond / 1e6).toFixed(1)} MB a second.`,
      name,
    );
  }
}
