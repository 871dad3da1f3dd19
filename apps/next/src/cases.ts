// The app's cases. Plain data and handlers: both the app itself and the tools outside read this file.
import type { IndexedCase } from "@evenbench/bundle/handler";
import empty from "@evenbench/cases/empty/case.ts";
import payload from "@evenbench/cases/payload/case.ts";
import { type CaseDefinition, type CaseManifest, caseManifest } from "@evenbench/core";
import nextApi from "./next-api.ts";
import { pages } from "./pages.ts";

/** Handlers by path. The floors are the bundle's own, here behind the framework's router. */
const handlers: Readonly<Record<string, { readonly id: string; readonly definition: CaseDefinition }>> = {
  "/empty": { id: "next-empty", definition: empty },
  "/payload": { id: "next-payload", definition: payload },
  "/next-api": { id: "next-api", definition: nextApi },
};

export const manifests: readonly CaseManifest[] = [
  ...Object.entries(handlers).map(([path, { id, definition }]) => ({
    ...caseManifest(id, definition),
    path,
  })),
  ...pages,
];

export const indexedCases: readonly IndexedCase[] = manifests.map((manifest) => {
  const definition = handlers[manifest.path]?.definition;
  return {
    manifest,
    hasPins: definition?.pins !== undefined,
    load: definition === undefined ? null : async () => ({ default: definition }),
  };
});
