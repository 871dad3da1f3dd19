import { addAbortListener } from "node:events";
import { messageOf, quotesOf } from "@evenbench/core";
import { checkBody, type Exchange, type Expectation, firstExpectation } from "@evenbench/probe";
import { COLD_EXCHANGES } from "@evenbench/results";
import type { CaseState } from "./case-state.ts";
import { probeOf, serveLocal } from "./instance.ts";
import type { LocalTarget } from "./options.ts";
import { startTwice } from "./play.ts";
import { whyNotAwaited } from "./session.ts";

/**
 * Measures cold starts: starts each local target alone, as often as the plan says, and sends it
 * `COLD_EXCHANGES` requests. Nothing else runs meanwhile. A target that does not start twice in a row, or does not answer
 * in time, is not started again.
 */
export async function measureColdStarts(state: CaseState): Promise<void> {
  const { context } = state;
  const { signal, recorder, lost } = context.session;
  const local = state.measuredTargets.filter(({ target }) => target.place === "local");
  const nextOrder = context.randomOrder(local, "cold");
  for (let repetition = 0; repetition < context.plan.coldStarts; repetition++) {
    state.trial = repetition;
    context.showProgress("cold", 0, repetition);
    for (const [position, measured] of nextOrder().entries()) {
      if (signal.aborted) {
        return;
      }
      const whyNot = whyNotAwaited(lost, measured.name);
      if (whyNot !== null) {
        state.reportOnce("cold-start-failed", `${measured.name}: ${whyNot}`, measured.name);
      } else if (measured.target.place === "local") {
        await startOnce(state, {
          ...context.requestOf(measured),
          name: measured.name,
          target: measured.target,
          position,
        });
      }
    }
    recorder.flush();
  }
}

/** A cold start that is to be measured. */
interface ColdStartPlan {
  /** Name of the measured target: that of a copy is not its target's. */
  readonly name: string;
  readonly target: LocalTarget;
  /** Path with its query. */
  readonly path: string;
  readonly expected: Expectation;
  /** Place in the order of this repetition, from 0. */
  readonly position: number;
}

async function startOnce(state: CaseState, plan: ColdStartPlan): Promise<void> {
  const { name, target, path, expected, position } = plan;
  const { session, manifest } = state.context;
  const { recorder, signal, lost, instanceSettings } = session;
  let askedAt = 0;
  const start = () => {
    askedAt = performance.now();
    return serveLocal(target, name, instanceSettings);
  };
  const host = await startTwice(state, name, start).catch((problem: unknown) => {
    if (!signal.aborted) {
      const detail = `${name}: a cold start failed. ${messageOf(problem)}`;
      state.reportOnce("cold-start-failed", detail, name, quotesOf(problem));
    }
    return null;
  });
  if (host === null) {
    lost.set(name, manifest.id);
    return;
  }
  // What is prepared for a platform before its process starts, and looked at once it is ready, is no part of its start.
  const readyMs = (host.readyAt ?? performance.now()) - (host.startedAt ?? askedAt);
  const probe = probeOf(target, host.url, instanceSettings.exchangeTimeoutMs);
  // An exchange under way would otherwise hold the end of the run until its timeout.
  using _aborted = addAbortListener(signal, () => void probe.close());
  try {
    const exchanges: Exchange[] = [];
    while (exchanges.length < COLD_EXCHANGES && !signal.aborted && !lost.has(name)) {
      const wanted = exchanges.length === 0 ? firstExpectation(expected) : expected;
      const exchange = await probe.exchange(path, wanted, { digest: true });
      checkBody(exchange, wanted);
      exchanges.push(exchange);
      if (exchange.error?.kind === "timeout") {
        lost.set(name, manifest.id);
        state.reportOnce(
          "cold-start-failed",
          `${name}: a cold start failed. ${exchange.error.detail}.`,
          name,
        );
      }
    }
    if (signal.aborted) {
      return;
    }
    for (const [roundIndex, exchange] of exchanges.entries()) {
      state.record({ target: name, phase: "cold", roundIndex, position }, exchange);
    }
    recorder.add("coldStarts", { caseId: manifest.id, target: name, repetition: state.trial, readyMs });
  } finally {
    await probe.close();
    await host.stop();
  }
}
