import { firstRepeated } from "@evenbench/core";
import { isBoundedInK6, WRITE_BOUNDED } from "@evenbench/load/k6";
import { originOf, secondOrigin } from "./origins.ts";
import type { RatePlan, VantageCase, VantagePlan } from "./plan.ts";

/** Largest number of all stages of a load: k6 has two scenarios for each. */
const MAX_STAGES = 10_000;
/** Largest number of a path's letters: servers refuse request lines of more. */
const MAX_PATH_LETTERS = 8192;

/**
 * Says why a plan cannot be played although its fields have the right types; null where it can. A plan may come from
 * a stranger: it decides where a token goes, how long machines are busy, and how much memory is taken when logs are
 * collected.
 */
export function whyUnplayable(plan: VantagePlan): string | null {
  return (
    wrongTargets(plan) ??
    wrongCases(plan) ??
    wrongPatterns(plan) ??
    (plan.kind === "rate" ? wrongLoad(plan) : null)
  );
}

/** Says what is wrong with a plan's targets; null where nothing is. */
function wrongTargets({ run, origins, closed }: VantagePlan): string | null {
  const names = run.targets.map(({ name }) => name);
  const twice = firstRepeated(names);
  if (twice !== null) {
    return `two targets are named "${twice}"`;
  }
  const byName = new Map(run.targets.map((target) => [target.name, target]));
  for (const { name, url, copyOf } of run.targets) {
    const original = copyOf === null ? null : byName.get(copyOf);
    if (original === undefined || (original !== null && original.copyOf !== null)) {
      return `"${name}" is the copy of "${copyOf}", which is no target of its own`;
    }
    const origin = originOf(url ?? "");
    if (origin === null) {
      return `the url of "${name}" is not an address such as https://worker.example.workers.dev`;
    }
    if (original !== null && original.url !== url) {
      return `"${name}" and "${copyOf}" have different addresses`;
    }
    if (original !== null && closed.includes(name) !== closed.includes(original.name)) {
      return `one of "${name}" and "${copyOf}" is closed, and the other is not`;
    }
    const asked = original === null ? origin : secondOrigin(origin);
    if (origins[name] !== asked) {
      return `the origin of "${name}" is not that of its url, ${asked}`;
    }
  }
  const odd = [...Object.keys(origins), ...closed].find((name) => !byName.has(name));
  return odd === undefined ? null : `"${odd}" is none of its targets`;
}

/** A path: printable and without spaces, so that nothing of it can become part of the address. */
const PATH = /^\/[\x21-\x7e]*$/;

/** Says what is wrong with a plan's cases; null where nothing is. */
function wrongCases({ run, cases }: VantagePlan): string | null {
  const ids = cases.map(({ id }) => id);
  const twice = firstRepeated(ids);
  if (twice !== null) {
    return `two cases have the id "${twice}"`;
  }
  if (run.cases.length !== ids.length || !run.cases.every(({ id }) => ids.includes(id))) {
    return "its cases and those of its run are different ones";
  }
  const names = run.targets.map(({ name }) => name);
  for (const { id, targets } of cases) {
    const unknown = targets.find((name) => !names.includes(name));
    if (unknown !== undefined) {
      return `the case "${id}" names the target "${unknown}", which it has not`;
    }
    const asked = firstRepeated(targets);
    if (asked !== null) {
      return `the case "${id}" names the target "${asked}" twice`;
    }
    if (targets.length === 0) {
      return `the case "${id}" names no target`;
    }
  }
  const path = cases.flatMap(pathsOfCase).find((path) => !PATH.test(path) || path.length > MAX_PATH_LETTERS);
  if (path === undefined) {
    return null;
  }
  return `"${path.slice(0, 80)}" is not a path that begins with a slash and has at most ${MAX_PATH_LETTERS} letters`;
}

/** Says what is wrong with the patterns that a plan's clients look for in answers; null where nothing is. */
function wrongPatterns({ cases, edges }: VantagePlan): string | null {
  for (const { id, request, transfer } of cases) {
    const masks = [request, transfer].flatMap((asked) => asked?.expected.masks ?? []);
    const unbounded = masks.find(({ pattern }) => !isBoundedInK6(pattern));
    if (unbounded !== undefined) {
      return `the mask "${unbounded.name}" of the case "${id}" is ${quotedStart(unbounded.pattern)}: ${WRITE_BOUNDED}`;
    }
  }
  const edge = edges.find(({ pattern }) => !isBoundedInK6(pattern));
  if (edge === undefined) {
    return null;
  }
  return `the pattern for its header "${edge.header}" is ${quotedStart(edge.pattern)}: ${WRITE_BOUNDED}`;
}

function quotedStart(pattern: string): string {
  return JSON.stringify(pattern.slice(0, 80));
}

function pathsOfCase({ request, transfer }: VantageCase): readonly string[] {
  return transfer === null ? [request.path] : [request.path, transfer.path];
}

/** Says what is wrong with the numbers of a plan of a load; null where nothing is. */
function wrongLoad({ run: { trials, loads }, cases, machines }: RatePlan): string | null {
  const stages = trials * loads.length * cases.reduce((total, { targets }) => total + targets.length, 0);
  if (stages > MAX_STAGES) {
    return `it has more than ${MAX_STAGES} stages`;
  }
  const fewest = loads.find(({ connections }) => connections < machines);
  return fewest === undefined ? null : `${machines} machines cannot share ${fewest.connections} connections`;
}
