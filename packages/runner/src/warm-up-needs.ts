import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { BuildRecord, CaseManifest, Identity } from "@evenbench/core";
import type { RunMachine } from "@evenbench/results";
import { median, type Warmth, type WarmUpNeed } from "@evenbench/stats";
import type { Target } from "./options.ts";
import { type MeasuredTarget, pathOf } from "./targets.ts";

/** Whatever was found. Milliseconds; cost is CPU time where that is reported. */
export const LONGEST_SEARCH = { costMs: 5000, timeMs: 15_000 };
/** Before that, where what was found is proven. */
export const SHORTEST_SEARCH = { exchanges: 600, timeMs: 2000 };
/** Fewer say nothing, however slow they are. */
export const LEAST_SEARCH_EXCHANGES = 20;

export interface KnownNeed {
  readonly exchanges: number;
  /** null where no search came to its end, or where instances that got more were not warm. */
  readonly warmAfter: number | null;
  readonly ms: number;
  readonly raised: number;
  readonly quiet: boolean;
}

export interface CaseCost {
  readonly roundMs: number;
  readonly startMs: number;
  readonly warmUpMs: number;
  /** Beyond that, in the first trial, where it is still to be found out what the instances need. */
  readonly searchMs: number;
}

export interface SeenTimes {
  readonly exchangeMs: Readonly<Record<string, number>>;
  readonly startMs: number;
}

/** Instances differ: each gets a part more than was found to be needed. */
const MARGIN = 1.25;
/** And what a search found is as many as fill this time: it does not see a compiler's last steps (docs/decisions/0055). */
const LEAST = { ms: 2000, exchanges: 300 };
/** What was measured and found not warm gets so much more the next time. */
const RAISE = 1.5;
/** Exchanges of a warm-up take so many times as long as warm ones: 1.0 to 1.5 in long series of 8 cases. */
const COLD_FACTOR = 1.2;
/** Until more is known: instances are warm after this part of a search. */
const NEEDED_SHARE = 0.3;
/** A warm exchange takes about this part of one of the first; one that takes long is warm before it ends. */
const WARM_SHARE = 0.4;
const LONG_EXCHANGE_MS = 200;
const WARM_SHARE_OF_LONG = 0.9;

export class WarmUpNeeds {
  readonly #known: Map<string, KnownNeed>;
  readonly #doubted = new Set<string>();
  readonly #fixed: number | null;
  readonly #store: (known: ReadonlyMap<string, KnownNeed>) => void;

  constructor(
    known: ReadonlyMap<string, KnownNeed> = new Map(),
    fixed: number | null = null,
    store: (known: ReadonlyMap<string, KnownNeed>) => void = () => {},
  ) {
    this.#known = new Map(known);
    this.#fixed = fixed;
    this.#store = store;
  }

  get isFixed(): boolean {
    return this.#fixed !== null;
  }

  keep(): void {
    this.#store(this.#known);
  }

  neededBy(target: MeasuredTarget): number | null {
    const need = this.#needOf(target);
    return need === undefined ? null : Math.max(1, Math.ceil(need.exchanges * MARGIN));
  }

  warmAfter(target: MeasuredTarget): number | null {
    return this.isFixed ? null : (this.#needOf(target)?.warmAfter ?? null);
  }

  orderFor(target: MeasuredTarget): { readonly exchanges: number; readonly isSearch: boolean } {
    const exchanges = this.#fixed ?? this.neededBy(target);
    return { exchanges: exchanges ?? Number.POSITIVE_INFINITY, isSearch: exchanges === null };
  }

  costOf(targets: readonly MeasuredTarget[], { exchangeMs, startMs }: SeenTimes, pauseMs = 0): CaseCost {
    let [roundMs, warmUpMs, searchMs] = [0, 0, 0];
    for (const target of targets) {
      const warmMs = this.#needOf(target)?.ms ?? warmGuess(exchangeMs[originalOf(target)]);
      const { firstMs, laterMs } = this.#warmUpMs(target, warmMs);
      roundMs += warmMs + pauseMs;
      warmUpMs += laterMs;
      searchMs += firstMs - laterMs;
    }
    return { roundMs, startMs, warmUpMs, searchMs };
  }

  #warmUpMs(target: MeasuredTarget, warmMs: number): { readonly firstMs: number; readonly laterMs: number } {
    const { exchanges, isSearch } = this.orderFor(target);
    if (!isSearch) {
      const ms = exchanges * warmMs * COLD_FACTOR;
      return { firstMs: ms, laterMs: ms };
    }
    const provenMs = Math.max(SHORTEST_SEARCH.exchanges * warmMs, SHORTEST_SEARCH.timeMs);
    const firstMs = Math.max(LEAST_SEARCH_EXCHANGES * warmMs, Math.min(provenMs, LONGEST_SEARCH.costMs));
    const leastMs = COLD_FACTOR * Math.min(LEAST.exchanges * warmMs, LEAST.ms);
    const laterMs = Math.max(leastMs, NEEDED_SHARE * firstMs);
    // The copy gets what its original was found to need.
    return { firstMs: target.copyOf === null ? Math.max(firstMs, laterMs) : laterMs, laterMs };
  }

  /**
   * Of two series the larger need counts; where the level was not reached, later instances get as many as
   * this one.
   */
  learn(target: MeasuredTarget, found: WarmUpNeed, times: readonly number[], quiet: boolean): void {
    const { exchanges, reached } = found;
    const before = this.#needOf(target) ?? { exchanges: 0, warmAfter: 0 };
    const isKnown = reached && before.warmAfter !== null;
    const ms = median(times.slice(-Math.ceil(times.length / 3)));
    const least = Math.min(LEAST.exchanges, Math.ceil(LEAST.ms / Math.max(ms, 1))) / MARGIN;
    const enough = reached ? exchanges : Math.floor(times.length / MARGIN);
    this.#known.set(originalOf(target), {
      exchanges: Math.max(before.exchanges, enough, Math.floor(least)),
      warmAfter: isKnown ? Math.max(before.warmAfter, exchanges) : null,
      ms,
      raised: 0,
      quiet,
    });
  }

  learnTime(target: MeasuredTarget, times: readonly number[]): void {
    const need = this.#needOf(target);
    if (need !== undefined && times.length > 0)
      this.#known.set(originalOf(target), { ...need, ms: median(times) });
  }

  /**
   * Two instances of a run that were not warm although they had got what is needed, need more: a single one is found so
   * on any busy machine. What was fixed, or cut short, says nothing of that.
   */
  learnFromRounds(target: MeasuredTarget, { warm }: Warmth, got: number): void {
    const need = this.#needOf(target);
    if (warm || need === undefined || this.isFixed || got < (this.neededBy(target) ?? 0)) return;
    const name = originalOf(target);
    const isFirst = !this.#doubted.delete(name);
    if (isFirst) this.#doubted.add(name);
    if (isFirst) return;
    const more = Math.ceil(need.exchanges * RAISE) + 1;
    const exchanges = Math.max(need.exchanges, Math.min(mostOf(need), more));
    const raised = need.raised + 1;
    this.#known.set(name, { ...need, exchanges, warmAfter: null, raised });
  }

  #needOf(target: MeasuredTarget): KnownNeed | undefined {
    return this.#known.get(originalOf(target));
  }
}

function usualNeed(
  { warmAfter }: CaseManifest,
  { platform }: Identity,
  exchangeMs?: number,
): KnownNeed | null {
  const exchanges = warmAfter?.[platform];
  if (exchanges === undefined) return null;
  return { exchanges, warmAfter: null, ms: warmGuess(exchangeMs), raised: 0, quiet: true };
}

function warmGuess(exchangeMs = 0): number {
  return exchangeMs * (exchangeMs > LONG_EXCHANGE_MS ? WARM_SHARE_OF_LONG : WARM_SHARE);
}

function mostOf({ ms }: KnownNeed): number {
  return Math.max(LEAST_SEARCH_EXCHANGES, Math.floor(LONGEST_SEARCH.timeMs / Math.max(ms, 0.01)));
}

function originalOf({ name, copyOf }: MeasuredTarget): string {
  return copyOf ?? name;
}

export interface WarmUpKey {
  readonly caseId: string;
  readonly path: string;
  readonly identity: Identity;
  readonly build: BuildRecord | null;
  readonly under?: string;
}

export interface NeedOfTarget extends WarmUpKey {
  readonly name: string;
  readonly usual?: KnownNeed | null;
}

export interface Known {
  readonly identities: Readonly<Record<string, Identity>>;
  readonly seen: Readonly<Record<string, SeenTimes>>;
  readonly deployables: Readonly<Record<string, BuildRecord | null>>;
}

/** None of an own server: nothing shows whether it is still the same build the next time. */
export function needsIn(
  manifest: CaseManifest,
  targets: readonly Target[],
  { identities, seen, deployables }: Known,
  sides = false,
): NeedOfTarget[] {
  return targets.flatMap((target) => {
    const { name, ownServer } = target;
    const identity = identities[name];
    if (identity === undefined || ownServer !== undefined) return [];
    // What is usual is known of cases as they are.
    const isUsual = !sides && !("parameters" in target);
    const usual = isUsual ? usualNeed(manifest, identity, seen[manifest.id]?.exchangeMs[name]) : null;
    const path = pathOf(target, manifest);
    return [{ name, caseId: manifest.id, path, identity, build: deployables[name] ?? null, usual }];
  });
}

/** It was found too small, or its instances are never warm: it is searched again. */
const MOST_RAISES = 3;

const MOST_ENTRIES = 2000;

/** Only a cache: a file that cannot be read knows nothing, and what cannot be written is found again. */
export class WarmUpStore {
  readonly #file: string | null;
  readonly #machine: RunMachine;

  constructor(file: string | null, machine: RunMachine) {
    this.#file = file;
    this.#machine = machine;
  }

  /** null also for what a busy machine found: it is searched again. */
  find(key: WarmUpKey): KnownNeed | null {
    const need = this.#read()[digestOf(key, this.#machine)] ?? null;
    return need === null || !need.quiet || need.raised >= MOST_RAISES ? null : need;
  }

  /** Reads before it writes, so that two runs lose little to one another. */
  keep(needs: readonly (readonly [WarmUpKey, KnownNeed])[]): void {
    if (this.#file === null || needs.length === 0) return;
    const found = new Map(needs.map(([key, need]) => [digestOf(key, this.#machine), need]));
    const kept = Object.entries(this.#read()).filter(([digest]) => !found.has(digest));
    const entries = [...kept, ...found].slice(-MOST_ENTRIES);
    const draft = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      writeFileSync(draft, JSON.stringify(Object.fromEntries(entries)));
      renameSync(draft, this.#file);
    } catch {
      // A folder that is read-only costs the next run its time, and nothing else.
    }
  }

  /** @param fixed warm-up exchanges, where the user wants no search. */
  needsOf(targets: readonly NeedOfTarget[], fixed: number | null = null): WarmUpNeeds {
    const known = new Map<string, KnownNeed>();
    for (const target of targets) {
      const need = this.find(target) ?? target.usual ?? null;
      if (need !== null) known.set(target.name, need);
    }
    return new WarmUpNeeds(known, fixed, (found) =>
      this.keep(
        targets.flatMap((target) => {
          const need = found.get(target.name);
          return need === undefined ? [] : [[target, need] as const];
        }),
      ),
    );
  }

  #read(): Readonly<Record<string, KnownNeed>> {
    if (this.#file === null) return {};
    try {
      const entries = Object.entries(JSON.parse(readFileSync(this.#file, "utf8")) as object);
      return Object.fromEntries(entries.filter(([, need]) => isNeed(need)));
    } catch {
      return {};
    }
  }
}

function isNeed(value: unknown): value is KnownNeed {
  const { exchanges, warmAfter, ms, raised, quiet } = (value ?? {}) as Partial<KnownNeed>;
  const counts = Number.isInteger(exchanges) && Number.isInteger(raised) && typeof quiet === "boolean";
  const isWarmAfter = warmAfter === null || Number.isInteger(warmAfter);
  return counts && isWarmAfter && typeof ms === "number" && Number.isFinite(ms);
}

function digestOf({ caseId, path, identity, build, under }: WarmUpKey, machine: RunMachine): string {
  const { pins, facts, app, platform } = identity;
  const { cpuModel, cores, system, coresApart } = machine;
  const size = build?.size ?? null;
  const parts = {
    ...{ caseId, path, app, platform, pins, facts, size },
    ...{ cpuModel, cores, system, coresApart, under },
  };
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
