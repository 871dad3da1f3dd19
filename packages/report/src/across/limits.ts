import type { Facts, Level, Metric, TargetFacts } from "../facts/facts.ts";

/** A limit of what one state takes. Amounts are milliseconds or bytes. */
export interface StateLimit {
  readonly metric: Metric | "gzipBytes";
  /** Which number of a metric: its value, or a quantile of single requests. */
  readonly of: "value" | "p95" | "p99";
  readonly most: number;
  /** The path that it is of; null for every one. */
  readonly path: string | null;
  /** Name or column of the target that it is of; null for every one. */
  readonly target: string | null;
}

/** A number that a limit is of, and where it lies. */
export interface Limited {
  /** Id of the case; null for what is a target's. */
  readonly case: string | null;
  readonly column: string;
  /** null where it is not known. */
  readonly value: number | null;
  /** "open": its interval reaches over the limit, or the number is not known. */
  readonly standing: "above" | "below" | "open";
}

/** Holds what was measured against a limit: of two states the later one, and no copies. */
export function limited(facts: Facts, limit: StateLimit): readonly Limited[] {
  const { metric, path, target } = limit;
  const targets = facts.targets.filter(
    ({ copyOf, state, name, column }) =>
      copyOf === null && state !== "before" && (target === null || target === name || target === column),
  );
  if (metric === "gzipBytes") {
    return targets.map((of) => standingOf(of, null, exactly(of.size?.gzipBytes ?? null), limit));
  }
  const cases = facts.cases.filter((of) => path === null || of.path === path).map(({ id }) => id);
  const ids = metric === "startupCpuMs" ? [null] : cases;
  return targets.flatMap((of) =>
    ids.map((caseId) => {
      const isIt = (level: Level) =>
        level.metric === metric && level.case === caseId && level.target === of.name && level.load === null;
      return standingOf(of, caseId, boundsOf(facts.levels.find(isIt), limit), limit);
    }),
  );
}

/** A number with the ends of its interval; null where they are not known. */
interface Bounds {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

function exactly(value: number | null): Bounds {
  return { value, low: value, high: value };
}

function boundsOf(level: Level | undefined, { of }: StateLimit): Bounds {
  if (level === undefined || level.why !== null) {
    return exactly(null);
  }
  if (of !== "value") {
    return exactly(level[of]);
  }
  return { value: level.value, low: level.low ?? level.value, high: level.high ?? level.value };
}

function standingOf(
  { column }: TargetFacts,
  caseId: string | null,
  { value, low, high }: Bounds,
  { most }: StateLimit,
): Limited {
  const at = { case: caseId, column, value };
  if (low === null || high === null) {
    return { ...at, standing: "open" };
  }
  if (low > most) {
    return { ...at, standing: "above" };
  }
  return { ...at, standing: high > most ? "open" : "below" };
}
