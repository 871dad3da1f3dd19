import {
  type ClientLog,
  type ExchangeLine,
  fatal,
  type Problem,
  type RequestLine,
  type SentLine,
} from "@evenbench/load/k6";
import { type Plan, type RatePlan, type RoundsPlan, stagesOf } from "./plan.ts";

/** A run began in this millennium: what its record says of other years no reader of dates takes. */
const YEARS = { first: 2000, last: 2100 };
/** So long after its stage a request may be over by the client's clock, which may have been set meanwhile. */
const DAY_MS = 86_400_000;

/**
 * Finds what no client of this plan can have written, once for each log: another kind of plan, stages,
 * targets or rounds that it has not, times out of range, and one request twice. None of that can be told from
 * a forgery, so all is fatal.
 */
export function linesOfNoPlan(clients: readonly ClientLog[], plan: Plan): readonly Problem[] {
  const whyNot = plan.kind === "rate" ? requestsOf(plan) : exchangesOf(plan);
  return clients.flatMap(({ file, name, begin, lines }) => {
    const what = wrongStart(begin.startedAt) ?? firstOf(lines, whyNot);
    return what === null ? [] : [fatal(`${file}: the log of ${name} ${what}.`)];
  });
}

function wrongStart(startedAt: string): string | null {
  const year = new Date(startedAt).getUTCFullYear();
  if (year >= YEARS.first && year <= YEARS.last) {
    return null;
  }
  return `begins in the year ${year}: the clock of its machine is wrong. Set it, and measure from there again`;
}

/** What is wrong with a line, in words, and what no other line may have in common with it. */
interface Looked {
  readonly wrong: string | null;
  readonly key: string;
}

function firstOf(lines: readonly SentLine[], look: (line: SentLine) => Looked): string | null {
  const seen = new Set<string>();
  for (const line of lines) {
    const { wrong, key } = look(line);
    if (wrong !== null) {
      return `has ${wrong}, which is not in the plan`;
    }
    if (seen.has(key)) {
      return `has one request twice (${key})`;
    }
    seen.add(key);
  }
  return null;
}

function exchangesOf(plan: RoundsPlan): (line: SentLine) => Looked {
  const { trials, roundsPerTrial, warmUpExchanges } = plan.run;
  const rounds = {
    warmup: warmUpExchanges ?? 0,
    measure: roundsPerTrial ?? 0,
    transfer: roundsPerTrial ?? 0,
  };
  const wrongIn = ({ stage, target, phase, round, position }: ExchangeLine): string | null => {
    const planned = plan.cases[Math.floor(stage / trials.maximum)];
    if (planned === undefined) {
      return `a line of stage ${stage}`;
    }
    if (!planned.targets.includes(target)) {
      return `a line of the target "${target.slice(0, 80)}" in ${planned.id}`;
    }
    if (phase === "transfer" && planned.transfer === null) {
      return `a line of transfer in ${planned.id}`;
    }
    if (round >= rounds[phase]) {
      return `a line of round ${round} of ${phase}`;
    }
    return position < planned.targets.length ? null : `a line of position ${position}`;
  };
  return (line) => {
    if (line.evenbench !== "exchange") {
      return { wrong: "a request of a load", key: "" };
    }
    const { stage, target, phase, round } = line;
    return { wrong: wrongIn(line), key: `stage ${stage}, ${target}, ${phase} ${round}` };
  };
}

function requestsOf(plan: RatePlan): (line: SentLine) => Looked {
  const stages = stagesOf(plan).length;
  const { stageMs } = plan.run;
  const wrongIn = ({ stage, begunAtMs, overAtMs }: RequestLine): string | null => {
    if (stage >= stages) {
      return `a line of stage ${stage}`;
    }
    if (begunAtMs > stageMs) {
      return `a request that began ${begunAtMs} ms after its stage did`;
    }
    const isOver = overAtMs >= begunAtMs && overAtMs <= stageMs + DAY_MS;
    return isOver ? null : `a request from ${begunAtMs} to ${overAtMs} ms of its stage`;
  };
  return (line) => {
    if (line.evenbench !== "request") {
      return { wrong: "an exchange of rounds", key: "" };
    }
    const { stage, connection, begunAtMs, overAtMs } = line;
    const times = `from ${begunAtMs} to ${overAtMs} ms`;
    return { wrong: wrongIn(line), key: `stage ${stage}, connection ${connection}, ${times}` };
  };
}
