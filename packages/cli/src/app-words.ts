// What a built app is, in words: its sizes and routes, why platforms are left out, and the command to type next.
import { type OwnAppRead, type OwnAppRoute, shellWord, terminalLine, withQuotes } from "@evenbench/core";
import { EVENBENCH } from "@evenbench/core/called";
import type { OwnApp } from "@evenbench/own-apps";
import { formatBytes, formatPercent } from "@evenbench/page";
import { simulatedNotes } from "@evenbench/report";
import type { LocalTarget } from "@evenbench/runner";
import type { OwnRequests } from "./own-requests.ts";

/** An app, and what serves it. */
export interface BuiltApp {
  readonly app: OwnApp;
  readonly targets: readonly LocalTarget[];
  readonly requests: OwnRequests;
}

/** Writes in one line why platforms are left out, such as "cloudflare, node: Every page is prerendered." */
export function reasonsOf({ refusals }: Pick<OwnApp, "refusals">): string {
  const reasons = byReason(refusals).map(([platforms, why]) => `${platforms}: ${why.split("\n")[0]}`);
  return reasons.join(" ");
}

/** Groups platforms that have the same reason: their ids, joined by commas, with the reason. */
function byReason(
  refusals: OwnApp["refusals"],
): readonly (readonly [platforms: string, why: string, quotes: readonly string[]])[] {
  const groups = Map.groupBy(refusals, ({ why }) => why);
  return [...groups].map(([why, group]) => {
    const names = group.map(({ platform }) => platform).join(", ");
    return [names, why, group.flatMap(({ quotes }) => quotes)] as const;
  });
}

/** Writes the description of an app that is printed before anything is measured. Lines of others end with theirs. */
export function describeApp({ app, targets }: BuiltApp): string {
  const { routes, notes, refusals } = app;
  const title = `${app.name}: ${app.title}, ${app.source.packageManager}${app.isReused ? "; built before from the same sources" : ""}`;
  const platforms = table([
    ...targets.map((target) => [target.name, sizeWords(app, target)]),
    ...byReason(refusals).map(([names, message, quotes]) => [
      names,
      `left out: ${withQuotes({ message, quotes })}`,
    ]),
  ]);
  const more = [
    ...(routes.length === 0 ? [] : ["Routes:", ...table(shownRoutes(routes))]),
    ...(app.packages.length === 0 ? [] : [`- Packages: ${app.packages.join(", ")}.`]),
    ...notes.map((note) => `- ${note}`),
    ...app.read.flatMap(readWords),
    ...simulatedNotes(app.simulated).map((note) => `- ${note}`),
  ];
  return [terminalLine(title), ...platforms, ...more.map(terminalLine)].join("\n");
}

const FILES_SHOWN = 20;

function shownRoutes(routes: readonly OwnAppRoute[]): readonly (readonly string[])[] {
  const files = routes.filter(({ kind }) => kind === "static");
  const rest = new Set(files.slice(FILES_SHOWN));
  const shown = routes.filter((route) => !rest.has(route)).map(routeWords);
  return rest.size === 0 ? shown : [...shown, [`and ${rest.size} more`, KINDS.static]];
}

/** Says what of a file counts and what does not: "vercel.json: not applied: rewrites (only ... applies it)". */
function readWords({ file, applied, notApplied }: OwnAppRead): readonly string[] {
  const counts = applied.length === 0 ? [] : [`- ${file}: ${applied.join(", ")}.`];
  const reasons = Map.groupBy(notApplied, ({ why }) => why);
  const not = [...reasons].map(
    ([why, parts]) => `- ${file}: not applied: ${parts.map(({ what }) => what).join(", ")} (${why}).`,
  );
  return [...counts, ...not];
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1].map((column) =>
    Math.max(0, ...rows.map((row) => (row.length > column + 1 ? (row[column] ?? "").length : 0))),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd(),
  );
}

function sizeWords({ targets }: OwnApp, { platform }: LocalTarget): string {
  const size = targets.find((target) => target.platform.id === platform.id)?.size ?? null;
  if (size === null) {
    return "its size is not known";
  }
  const { bytes, gzipBytes, limit } = size;
  const both = `${formatBytes(bytes)}, ${formatBytes(gzipBytes)} compressed`;
  if (limit === null) {
    return both;
  }
  return `${both}: ${formatPercent(size[limit.counts] / limit.bytes)} of the limit (${limit.says})`;
}

const KINDS: Readonly<Record<OwnAppRoute["kind"], string>> = {
  dynamic: "dynamic",
  prerendered: "prerendered: no platform renders it",
  isr: "renewed from time to time: a cache answers",
  static: "a file",
  refused: "not measured",
};

function routeWords({ path, kind, hasMiddleware, note }: OwnAppRoute): readonly string[] {
  const words = [KINDS[kind]];
  if (hasMiddleware) {
    words.push("behind middleware");
  }
  if (note !== null) {
    words.push(note);
  }
  return [path, words.join("; ")];
}

interface ProposedPath {
  readonly path: string;
  readonly route: string;
}

/** Finds a path of a dynamic route: one that can be asked as it is written, else one with words as its parameters. */
function proposed(routes: readonly OwnAppRoute[]): ProposedPath | null {
  const dynamic = routes.filter(({ kind }) => kind === "dynamic").map(({ path }) => path);
  const plain = dynamic.find(isPlain);
  if (plain !== undefined) {
    return { path: plain, route: plain };
  }
  const filled = dynamic.map((route) => ({ path: withWords(route), route }));
  return filled.find(({ path }) => isPlain(path)) ?? null;
}

function isPlain(path: string): boolean {
  return /^\/[\w./-]*$/.test(path);
}

/** Fills a route's parameters with their own names: "/posts/[slug]" becomes "/posts/slug". */
function withWords(route: string): string {
  const parts = route.split("/").slice(1);
  const filled = parts.flatMap((part) => {
    // Optional ones, and all that may follow.
    if (/^\[\[.*\]\]$|^\*+$/.test(part)) {
      return [];
    }
    return part.replace(/\[(?:\.\.\.)?([^\]=]+)[^\]]*\]/g, "$1").replace(/^:(\w+)\??.*$/, "$1");
  });
  return `/${filled.join("/")}`;
}

/** Writes the command to type next: with a path that is computed for each request, where the app says one. */
export function proposal({ app: { routes }, targets }: BuiltApp, folder: string): string {
  if (routes.length > 0 && routes.every(({ kind }) => kind !== "dynamic")) {
    return "No route is dynamic: no platform renders anything for a request, so there is nothing to compare.";
  }
  if (targets.length === 0) {
    return "No platform can run it as it is.";
  }
  const { path, route } = proposed(routes) ?? { path: "/", route: "/" };
  const command = `Measure it: ${EVENBENCH} app ${shellWord(folder)} --path ${shellWord(path)}`;
  return path === route || path === "/"
    ? command
    : `${command}\n(or another path of ${route} that your app answers)`;
}

/** Describes an app as a value for programs. No value of a variable is in it. */
export function appSummaryOf({ app, targets }: BuiltApp): object {
  const { name, title, folder, routes, notes, refusals, read, simulated, variables, isReused } = app;
  const sizes = new Map(app.targets.map(({ platform, size }) => [platform.id, size]));
  return {
    name,
    title,
    folder,
    packageManager: app.source.packageManager,
    packages: app.packages,
    targets: targets.map((target) => ({ name: target.name, size: sizes.get(target.platform.id) ?? null })),
    refusals,
    routes,
    notes,
    read,
    simulated,
    variables: Object.keys(variables),
    isReused,
  };
}
