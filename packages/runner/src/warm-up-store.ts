import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { BuildRecord, Identity } from "@evenbench/core";
import type { RunMachine } from "@evenbench/results";
import { type KnownNeed, WarmUpNeeds } from "./warm-up-needs.ts";

export interface WarmUpKey {
  readonly caseId: string;
  readonly path: string;
  readonly identity: Identity;
  readonly build: BuildRecord | null;
  readonly machine: RunMachine;
  readonly under?: string;
}

/** It was found too small, or its instances are never warm: it is searched again. */
const MOST_RAISES = 3;

/** The oldest are forgotten. */
const MOST_ENTRIES = 2000;

/** Only a cache: a file that cannot be read knows nothing, and what cannot be written is found again. */
export class WarmUpStore {
  readonly #file: string | null;

  /** @param file null: nothing is kept. */
  constructor(file: string | null) {
    this.#file = file;
  }

  /** null also for what a busy machine found: it is searched again. */
  find(key: WarmUpKey): KnownNeed | null {
    const need = this.#read()[digestOf(key)] ?? null;
    return need === null || !need.quiet || need.raised >= MOST_RAISES ? null : need;
  }

  /** Reads before it writes, so that two runs lose little to one another. */
  keep(needs: readonly (readonly [WarmUpKey, KnownNeed])[]): void {
    if (this.#file === null || needs.length === 0) return;
    const found = new Map(needs.map(([key, need]) => [digestOf(key), need]));
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

  #read(): Readonly<Record<string, KnownNeed>> {
    if (this.#file === null) return {};
    try {
      const entries = Object.entries(JSON.parse(readFileSync(this.#file, "utf8")) as object);
      return Object.fromEntries(
        entries.flatMap(([digest, need]) => (isNeed(need) ? [[digest, need] as const] : [])),
      );
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

function digestOf({ caseId, path, identity, build, machine, under }: WarmUpKey): string {
  const { pins, facts, app, platform } = identity;
  const { cpuModel, cores, system, coresApart } = machine;
  const size = build?.size ?? null;
  // What is undefined is left out of JSON.
  const parts = {
    ...{ caseId, path, app, platform, pins, facts, size },
    ...{ cpuModel, cores, system, coresApart, under },
  };
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

export interface NeedOfTarget extends Omit<WarmUpKey, "machine"> {
  readonly name: string;
  /** Where this machine has found nothing yet. */
  readonly usual?: KnownNeed | null;
}

export function rememberNeeds(
  store: WarmUpStore,
  machine: RunMachine,
  targets: readonly NeedOfTarget[],
  fixed: number | null = null,
): WarmUpNeeds {
  const keys = new Map(
    targets.map(({ name, usual, ...key }): [string, WarmUpKey] => [name, { ...key, machine }]),
  );
  const known = targets.flatMap(({ name, usual }) => {
    const need = store.find(keys.get(name) as WarmUpKey) ?? usual ?? null;
    return need === null ? [] : [[name, need] as const];
  });
  return new WarmUpNeeds(new Map(known), fixed, (found) =>
    store.keep(
      [...found].flatMap(([name, need]) => {
        const key = keys.get(name);
        return key === undefined ? [] : [[key, need] as const];
      }),
    ),
  );
}
