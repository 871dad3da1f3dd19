import type { BodyMask } from "@evenbench/core";
import { escapedPattern } from "./slot-kind.ts";

/** Names by which a server on this machine may call itself. */
const LOOPBACK_SOURCE = String.raw`(?:127\.0\.0\.1|localhost|\[::1\])`;
const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])$/;
/** The scheme of a URL, also within JSON and within another URL. */
const SCHEME = String.raw`(?:https?:(?:\\?/){2}|https?%3A%2F%2F)?`;
const COLON = "(?::|%3A)";

/**
 * Makes the mask of a target's own origin, which is another one for each target, and on this machine for each start.
 *
 * @param url the target's origin.
 * @param bodies as they came, one character for each byte.
 * @returns null where no body has it.
 */
export function ownOriginMask(url: string, bodies: readonly string[]): BodyMask | null {
  const { hostname, host, port } = new URL(url);
  const isLocal = LOOPBACK_HOST.test(hostname);
  const own = isLocal ? `${LOOPBACK_SOURCE}${COLON}${port || "80"}` : escapedPattern(host);
  const isThere = bodies.some((body) => new RegExp(own).test(body));
  if (!isThere) {
    return null;
  }
  return {
    name: "the mask of the server's own origin",
    pattern: SCHEME + (isLocal ? `${LOOPBACK_SOURCE}${COLON}\\d{1,5}` : own),
    replacement: "[own origin]",
  };
}

/** Places at which frameworks write the id of their build, which they draw anew each time they build. */
const BUILD_IDS = [
  // Next.js
  /\/_next\/static\/([\w-]{6,64})\/_(?:build|ssg)Manifest/g,
  /\/_next\/data\/([\w-]{6,64})\//g,
  /\\?"_?buildId\\?":\\?"([\w-]{6,64})\\?"/g,
  /<!DOCTYPE html><!--([\w-]{8,64})-->/gi,
  // Nuxt, whose files may have a hash and no other name
  /\bbuildId:"([\w-]{6,64})"/g,
  /\/_nuxt\/([\w-]{8})\.(?:js|css)\b/g,
  // SvelteKit
  /\b__sveltekit_([a-z0-9]{5,16})\b/g,
];

/** Files that builds name by their contents: in the folders of Next.js, SvelteKit, Astro and Vite. */
const HASHED_FILE =
  /(?:static\/(?:chunks|css|media)|_app\/immutable|_astro|assets)\/(?:[\w.@%()~-]{1,100}\/){0,9}[\w.@%()~-]{1,200}\.(?:js|mjs|css|woff2?|ttf|png|jpe?g|svg|webp|avif|gif|ico)\b/g;
/** The hash at the end of a file's name: of webpack, of Vite, and of Turbopack, where it is the whole name. */
const HASHES = [/(?<=[.-])[0-9a-f]{8,40}$/, /(?<=[.-])[\w-]{8}$/, /^(?=.*\d)[0-9A-Za-z_~]{8,40}$/];

/** Functions whose source frameworks print into a page: it is as the bundler of each build wrote it. */
const PRINTED_FUNCTIONS = [
  // React Router's ScrollRestoration; what it is called with stays.
  /(?<=<script\b[^>]*>\()\(storageKey\w*, ?restoreKey\w*\) ?=> ?\{[\s\S]*?\}(?=\)\(")/g,
  // TanStack Router's, which is called with an object.
  /(?<=<script\b[^>]*>\()function \w+\(\{\s*storageKey\b[\s\S]*?\}(?=\)\(\{")/g,
];

/** The flag of a build that React Router prints into a page: Cloudflare's plugin wants it, whose setup adds it. */
const BUILD_FLAG = /(?<=\b(?:v8|unstable)_viteEnvironmentApi\\?":)(?:true|false)\b/g;

/** The folder of a deployable among the builds of a user's app: a page may print the path of its own file. */
const OWN_PLACE =
  /\/(?:[\w.@~-]+\/)*apps\/[\w.-]+-[0-9a-f]{8}\/[0-9a-f]{16}(?:-\d+)?\/(?:vercel\/functions\/[^\s"'<>]+?\.func|[a-z]+)(?=\/)/g;

/** Decimal numbers as JavaScript writes them; minified ones have no zero in front. */
const DECIMAL = /-?\d*\.\d+(?:e[+-]?\d+)?/g;
/** How far apart two numbers may be that differ in their last digits alone, as a share of the larger one. */
const LAST_DIGITS = 1e-12;

/** A text without what is known to differ. */
interface Taken {
  readonly text: string;
  /** What was taken out, in the order of the text. */
  readonly values: readonly string[];
}

/** Something that is known to differ between targets that do the same work. */
interface KnownDifference {
  /** What is said of it. */
  readonly words: string;
  take(text: string): Taken;
  /** Tells whether texts without it, and what was taken, differ in nothing else. Default: it is taken in any case. */
  areAlike?(taken: readonly Taken[]): boolean;
  /** Writes a value. Default: as it is. */
  show?(value: string): string;
}

/** What is known to differ, in the order in which it is taken out. */
const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  { words: "ids of builds may differ between targets", take: withoutBuildIds },
  {
    words: "names of files with the hash of their content may differ between targets",
    take: withoutHashes,
  },
  {
    words: "a function of the framework in a script differs as each build's bundler prints it",
    take: (text) => takenBy(text, PRINTED_FUNCTIONS, "[printed function]"),
    show: (value) => `${value.length} bytes`,
  },
  {
    words: "React Router prints by which of Vite's interfaces it was built, which may differ",
    take: (text) => takenBy(text, [BUILD_FLAG], "[build flag]"),
  },
  {
    words: "the folder in which each server lies stands in answers, and may differ",
    take: (text) => takenBy(text, [OWN_PLACE], "[place]"),
  },
  {
    // Engines may compute sines, or powers, with another last digit.
    words: "last digits of decimal numbers may differ between targets",
    take: (text) => takenBy(text, [DECIMAL], "[decimal]"),
    areAlike: differInLastDigits,
  },
];

/** Texts without what is known to differ between targets that do the same work. */
export interface WithoutKnown {
  readonly texts: readonly string[];
  /** What differed, with the first value that does in each text. */
  readonly differences: readonly { readonly words: string; readonly first: readonly string[] }[];
}

/** Takes out of texts what is known to differ between targets that do the same work. */
export function withoutKnown(texts: readonly string[]): WithoutKnown {
  let rest = texts;
  const differences: WithoutKnown["differences"][number][] = [];
  for (const { words, take, areAlike, show = String } of KNOWN_DIFFERENCES) {
    const taken = rest.map(take);
    if (areAlike?.(taken) === false) {
      continue;
    }
    rest = taken.map(({ text }) => text);
    const at = firstDiffering(taken.map(({ values }) => values));
    if (at !== null) {
      const first = taken.map(({ values: { [at]: value } }) => (value === undefined ? "none" : show(value)));
      differences.push({ words, first });
    }
  }
  return { texts: rest, differences };
}

/** Finds the first place at which lists differ; null where they do not. */
function firstDiffering(lists: readonly (readonly string[])[]): number | null {
  const [first = []] = lists;
  const longest = Math.max(...lists.map(({ length }) => length));
  const places = Array.from({ length: longest }, (_, at) => at);
  return places.find((at) => lists.some((list) => list[at] !== first[at])) ?? null;
}

function takenBy(text: string, patterns: readonly RegExp[], placeholder: string): Taken {
  const values: string[] = [];
  const take = (value: string) => {
    values.push(value);
    return placeholder;
  };
  return { text: patterns.reduce((rest, pattern) => rest.replace(pattern, take), text), values };
}

function withoutBuildIds(text: string): Taken {
  const ids = BUILD_IDS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, id = ""]) => id));
  const values = [...new Set(ids)];
  return { text: values.reduce((rest, id) => rest.replaceAll(id, "[build id]"), text), values };
}

function withoutHashes(text: string): Taken {
  const files = new Set<string>();
  const rest = text.replace(HASHED_FILE, (path) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const stem = name.slice(0, name.lastIndexOf("."));
    const hash = HASHES.map((pattern) => pattern.exec(stem)?.[0]).find((found) => found !== undefined);
    if (hash === undefined) {
      return path;
    }
    files.add(name);
    const folder = path.slice(0, -name.length);
    return `${folder}${stem.slice(0, stem.length - hash.length)}[hash]${name.slice(stem.length)}`;
  });
  return { text: rest, values: [...files] };
}

/** Tells whether texts differ in nothing but last digits of their decimal numbers. */
function differInLastDigits(taken: readonly Taken[]): boolean {
  const [first = { text: "", values: [] }] = taken;
  return taken.every(
    ({ text, values }) =>
      text === first.text && values.every((number, at) => isClose(Number(number), Number(first.values[at]))),
  );
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= LAST_DIGITS * Math.max(Math.abs(one), Math.abs(other));
}
