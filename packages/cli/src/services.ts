import type { CaseManifest } from "@evenbench/core";
import type { Target } from "@evenbench/runner";
import { howToInstall, missingServices } from "@evenbench/services";
import { type ChosenCases, chooseCases } from "./cases.ts";

/**
 * The cases named; without names all whose services can be started for the targets.
 *
 * @throws {UsageError} for an unknown case.
 */
export async function casesToMeasure(
  targets: readonly Target[],
  wanted: readonly string[],
): Promise<ChosenCases> {
  const chosen = await chooseCases(targets, wanted);
  return wanted.length > 0 ? chosen : leaveOutUnserved(chosen, targets);
}

/**
 * Of cases that nobody named, those whose services can be started for all targets. The others are said on stderr with what would
 * bring them in.
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
    console.error(`! ${one.id} is left out: ${reason}`);
  }
  const byApp = Object.entries(chosen.byApp)
    .map(([app, cases]) => [app, cases.filter(({ id }) => !left.includes(id))] as const)
    .filter(([, cases]) => cases.length > 0);
  return { byApp: Object.fromEntries(byApp), otherIds: [...chosen.otherIds, ...left] };
}
