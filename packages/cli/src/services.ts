import type { CaseManifest } from "@evenbench/core";
import { howToInstall, missingServices } from "@evenbench/host/services";
import type { Target } from "@evenbench/runner";
import { type ChosenCases, chooseCases } from "./cases.ts";
import { sayAside } from "./say.ts";

/**
 * The cases wanted, or all; of those that nobody named, only the ones whose services can be started for the targets.
 *
 * @throws {UsageError} for an unknown case.
 */
export async function casesToMeasure(
  targets: readonly Target[],
  wanted: readonly string[],
  isNamed = wanted.length > 0,
): Promise<ChosenCases> {
  const chosen = await chooseCases(targets, wanted);
  return isNamed ? chosen : leaveOutUnserved(chosen, targets);
}

/**
 * Of cases that nobody named, those whose services can be started for all targets. The others are said on
 * stderr with what would bring them in.
 */
async function leaveOutUnserved(chosen: ChosenCases, targets: readonly Target[]): Promise<ChosenCases> {
  const all = Object.values(chosen.byApp).flat();
  const missing = await missingServices(all.flatMap(({ services }) => services));
  const remote = targets.find(({ place }) => place === "url");
  const why = ({ services }: CaseManifest): string | null => {
    const [first] = services;
    if (first === undefined) return null;
    const lacking = missing.find(({ id }) => services.includes(id));
    if (lacking !== undefined) return howToInstall(lacking);
    return remote === undefined
      ? null
      : `${first} cannot be started for ${remote.name}, which runs elsewhere.`;
  };
  const left: string[] = [];
  for (const one of all) {
    const reason = why(one);
    if (reason === null) continue;
    left.push(one.id);
    sayAside(`! ${one.id} is left out: ${reason}`);
  }
  const byApp = Object.entries(chosen.byApp)
    .map(([app, cases]) => [app, cases.filter(({ id }) => !left.includes(id))] as const)
    .filter(([, cases]) => cases.length > 0);
  return { byApp: Object.fromEntries(byApp), otherIds: [...chosen.otherIds, ...left] };
}
