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
  /\\?"buildId\\?":\\?"([\w-]{6,64})\\?"/g,
  /<!DOCTYPE html><!--([\w-]{8,64})-->/gi,
  // Nuxt
  /\bbuildId:"([\w-]{6,64})"/g,
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

/** The folder of a deployable among the builds of a user's app: a page may print the path of its own file. */
const OWN_PLACE =
  /\/(?:[\w.@~-]+\/)*apps\/[\w.-]+-[0-9a-f]{8}\/[0-9a-f]{16}(?:-\d+)?\/(?:vercel\/functions\/[^\s"'<>]+?\.func|[a-z]+)(?=\/)/g;

/** A text without what differs from build to build, and what was replaced. */
export interface WithoutBuild {
  readonly text: string;
  readonly buildIds: readonly string[];
  /** Names of files, such as "main-app-3f2a9b1c.js". */
  readonly files: readonly string[];
  /** Printed functions, whole. */
  readonly functions: readonly string[];
  /** Folders in which the servers lie, absolute. */
  readonly places: readonly string[];
}

/**
 * Takes out of a text the id of its build, hashes in names of files, functions that a framework prints, and the folder in
 * which its server lies.
 */
export function withoutBuild(text: string): WithoutBuild {
  const buildIds = new Set<string>();
  for (const pattern of BUILD_IDS) {
    for (const [, id = ""] of text.matchAll(pattern)) {
      buildIds.add(id);
    }
  }
  let rewritten = text;
  for (const id of buildIds) {
    rewritten = rewritten.replaceAll(id, "[build id]");
  }
  const files = new Set<string>();
  rewritten = rewritten.replace(HASHED_FILE, (path) => {
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
  const functions: string[] = [];
  for (const pattern of PRINTED_FUNCTIONS) {
    rewritten = rewritten.replace(pattern, (printed) => {
      functions.push(printed);
      return "[printed function]";
    });
  }
  const places: string[] = [];
  rewritten = rewritten.replace(OWN_PLACE, (place) => {
    places.push(place);
    return "[place]";
  });
  return { text: rewritten, buildIds: [...buildIds], files: [...files], functions, places };
}

/** Decimal numbers as JavaScript writes them; minified ones have no zero in front. */
const DECIMAL = /-?\d*\.\d+(?:e[+-]?\d+)?/g;
/** How far apart two numbers may be that differ in their last digits alone, as a share of the larger one. */
const LAST_DIGITS = 1e-12;

/** Texts without their decimal numbers, and the first number that differs, as each text has it. */
export interface WithoutLastDigits {
  readonly texts: readonly string[];
  readonly first: readonly string[];
}

/**
 * Takes the decimal numbers out of texts that differ in nothing but last digits of these: engines may compute sines, or
 * powers, with another last digit.
 *
 * @returns null where texts are equal, or differ in more.
 */
export function withoutLastDigits(texts: readonly string[]): WithoutLastDigits | null {
  const without = texts.map((text) => text.replace(DECIMAL, "[decimal]"));
  const numbers = texts.map((text) => text.match(DECIMAL) ?? []);
  const [own = []] = numbers;
  const areClose = numbers.every((of) => of.every((number, at) => isClose(Number(number), Number(own[at]))));
  const differing = own.findIndex((number, at) => numbers.some((of) => of[at] !== number));
  if (new Set(without).size > 1 || !areClose || differing === -1) {
    return null;
  }
  return { texts: without, first: numbers.map((of) => of[differing] ?? "") };
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= LAST_DIGITS * Math.max(Math.abs(one), Math.abs(other));
}
