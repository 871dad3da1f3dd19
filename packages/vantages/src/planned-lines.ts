import {
  type ClientLog,
  type ExchangeLine,
  fatal,
  type Problem,
  type RequestLine,
  type SentLine,
} from "@evenbench/load/k6";
import { type RatePlan, type RoundsPlan, stagesOf, type VantagePlan } from "./plan.ts";

/** The years in which a run can begin: readers of records take no dates of others. */
const YEARS = { first: 2000, last: 2100 };
/** Milliseconds after its stage at which a request may be over, by a clock that may be set meanwhile: a day. */
const MAX_OVERTIME_MS = 86_400_000;

/**
 * Finds lines that no client of this plan can have written, once for each log: those of another kind of plan, of
 * stages, targets or rounds that it does not have, with times out of range, and one request twice. None of that can
 * be told from a forgery, so all is fatal.
 */
export function linesOfNoPlan(clients: readonly ClientLog[], plan: VantagePlan): readonly Problem[] {
  const check = plan.kind === "rate" ? checkRequests(plan) : checkExchanges(plan);
  return clients.flatMap(({ file, name, begin, lines }) => {
    const fault = wrongStart(begin.startedAt) ?? firstFault(lines, check);
    return fault === null ? [] : [fatal(`${file}: the log of ${name} ${fault}.`)];
  });
}

/** Says why a client cannot have begun then, behind the log's name; null where it can. */
function wrongStart(startedAt: string): string | null {
  const year = new Date(startedAt).getUTCFullYear();
  if (year >= YEARS.first && year <= YEARS.last) {
    return null;
  }
  return `begins in the year ${year}: the clock of its machine is wrong. Set it, and measure from there again`;
}

/** A line that was checked against the plan. */
interface CheckedLine {
  /** The fault of the line, in words behind "has"; null where it is in the plan. */
  readonly wrong: string | null;
  /** The name of its request, which no other line may have. */
  readonly key: string;
}

/** Finds the first fault of lines, behind the log's name; null where there is none. */
function firstFault(lines: readonly SentLine[], check: (line: SentLine) => CheckedLine): string | null {
  const seen = new Set<string>();
  for (const line of lines) {
    const { wrong, key } = check(line);
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

/** Makes the check of lines against a plan of rounds. */
function checkExchanges(plan: RoundsPlan): (line: SentLine) => CheckedLine {
  const { trials, roundsPerTrial, warmUpExchanges } = plan.run;
  const rounds = {
    warmup: warmUpExchanges,
    measure: roundsPerTrial,
    transfer: roundsPerTrial,
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

/** Makes the check of lines against a plan of a load. */
function checkRequests(plan: RatePlan): (line: SentLine) => CheckedLine {
  const stages = stagesOf(plan).length;
  const { stageMs } = plan.run;
  const wrongIn = ({ stage, begunAtMs, overAtMs }: RequestLine): string | null => {
    if (stage >= stages) {
      return `a line of stage ${stage}`;
    }
    if (begunAtMs > stageMs) {
      return `a request that began ${begunAtMs} ms after its stage did`;
    }
    const isOver = overAtMs >= begunAtMs && overAtMs <= stageMs + MAX_OVERTIME_MS;
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
