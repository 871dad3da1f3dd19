import { interleave } from "@evenbench/probe";
import type { CaseWork } from "./case-work.ts";
import { probeOf, serveLocal } from "./instance.ts";
import { deriveSeed } from "./plan.ts";
import type { Subject } from "./targets.ts";

/**
 * Starts a fresh instance of every local subject, one after the other in random order, asks each twice and
 * stops it; again and again. Nothing else runs meanwhile. An instance that does not start, or whose first
 * exchanges fail, leaves that repetition without it.
 *
 * The instance has answered `/identity` before, which is how it is known to be ready: what only the case
 * needs is still to be loaded.
 */
export async function measureColdStarts(work: CaseWork, repetitions: number): Promise<void> {
  const { session, manifest } = work;
  const seed = deriveSeed(session.seed, manifest.id, "cold");
  const nextOrder = interleave(
    work.subjects.filter(({ target }) => target.place === "local"),
    seed,
  );
  for (let repetition = 0; repetition < repetitions; repetition++) {
    work.showProgress("cold", 0, repetition);
    for (const [position, subject] of nextOrder().entries()) {
      if (session.signal.aborted) return;
      await startOnce(work, subject, repetition, position);
    }
    session.recorder.flush();
  }
}

async function startOnce(
  work: CaseWork,
  subject: Subject,
  repetition: number,
  position: number,
): Promise<void> {
  const { name, target } = subject;
  if (target.place !== "local") return;
  const { session, manifest } = work;
  const { path, expected } = work.requestOf(subject);
  const askedAt = performance.now();
  const host = await serveLocal(target, name, session.instanceSettings).catch(() => null);
  if (host === null) return;
  // What is prepared for a platform before its process starts is no part of its start.
  const readyMs = performance.now() - (host.startedAt ?? askedAt);
  const probe = probeOf(target, host.url, session.instanceSettings.exchangeTimeoutMs);
  try {
    const first = await probe.exchange(path, expected);
    const second = await probe.exchange(path, expected);
    if (session.signal.aborted) return;
    const where = { target: name, trial: repetition, phase: "cold", position } as const;
    work.record({ ...where, roundIndex: 0 }, first);
    work.record({ ...where, roundIndex: 1 }, second);
    session.recorder.add("coldStarts", { caseId: manifest.id, target: name, repetition, readyMs });
  } finally {
    await probe.close();
    await host.stop();
  }
}
