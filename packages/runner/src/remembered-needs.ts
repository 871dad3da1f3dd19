import type { RunMachine } from "@evenbench/results";
import { type KnownNeed, WarmUpNeeds } from "./warm-up-needs.ts";
import type { WarmUpKey, WarmUpStore } from "./warm-up-store.ts";

/** What is to be warm: by which name it takes part, and what its need depends on. */
export interface NeedSubject extends Omit<WarmUpKey, "machine"> {
  readonly name: string;
  /** What the repository says of it, for a machine that has no findings of its own. */
  readonly usual?: UsualNeed | null;
}

/** Requests after which a fresh instance is usually warm, and what a warm one takes, in milliseconds. */
export interface UsualNeed {
  readonly exchanges: number;
  readonly ms: number;
}

/** Needs that begin with what earlier measurements found. */
export interface RememberedNeeds {
  readonly needs: WarmUpNeeds;
  /** Keeps what is known by now for later measurements. */
  keep(): void;
}

/** @param fixed warm-up exchanges of every instance, where the user wants no search. */
export function rememberNeeds(
  store: WarmUpStore,
  machine: RunMachine,
  subjects: readonly NeedSubject[],
  fixed: number | null = null,
): RememberedNeeds {
  const keys = new Map(
    subjects.map(({ name, usual, ...key }): [string, WarmUpKey] => [name, { ...key, machine }]),
  );
  const known = subjects.flatMap(({ name, usual }) => {
    const need = store.find(keys.get(name) as WarmUpKey) ?? (usual ? usualNeed(usual) : null);
    return need === null ? [] : [[name, need] as const];
  });
  const needs = new WarmUpNeeds(new Map(known), fixed);
  return {
    needs,
    keep() {
      store.keep(
        [...needs.known].flatMap(([name, need]) => {
          const key = keys.get(name);
          return key === undefined ? [] : [[key, need] as const];
        }),
      );
    },
  };
}

function usualNeed({ exchanges, ms }: UsualNeed): KnownNeed {
  // From when on it is warm here, nobody has searched.
  return { exchanges, warmAfter: null, ms, raised: 0, quiet: true };
}
