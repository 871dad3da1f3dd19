/** Wrangler's settings of static files, as its configuration names them. */
export interface AssetSettings {
  /** The folder of the files. */
  readonly directory?: string;
  /** The name of the Worker's binding to them. */
  readonly binding?: string;
  /** The paths at which a page is found. */
  readonly html_handling?: string;
  /** The answer where there is no file: "none", "404-page" or "single-page-application". */
  readonly not_found_handling?: string;
  /**
   * True where the Worker is asked before the files; or the paths for which it is, without those that begin with "!".
   */
  readonly run_worker_first?: boolean | readonly string[];
}

/** The requests that the service of static files is asked about. All others are the Worker's, without a detour. */
export interface AssetRules {
  /** Paths, decoded, that a file may be the answer to. */
  readonly paths: readonly string[];
  /** Beginnings of paths that _redirects may be about. */
  readonly prefixes: readonly string[];
  /** Expressions of paths that are the Worker's, whatever files there are. */
  readonly workerFirst: readonly string[];
  /** Expressions of paths that are files', whatever `workerFirst` says. */
  readonly never: readonly string[];
  /**
   * Requests for which a page is sent where there is no file: "none"; "navigation" for those of a browser for a
   * document; or "all".
   */
  readonly notFound: "none" | "navigation" | "all";
}

/** Tells whether files need the platform's own service: pages have several paths, and rules need its reader. */
export function needsAssetService(files: readonly string[], settings: AssetSettings): boolean {
  const { html_handling: html, not_found_handling: notFound = "none", run_worker_first: first } = settings;
  const isRead = files.some((file) => isPage(file) || file === "/_headers" || file === "/_redirects");
  return isRead || html !== undefined || notFound !== "none" || first !== undefined;
}

/**
 * Says which requests may be the files' ("Static Assets: Routing" of Cloudflare's documentation). It is sure of those
 * that it leaves out; of the others the platform's own router decides.
 *
 * @param files paths of the files: "/index.html".
 * @param redirects the content of _redirects, or an empty text.
 */
export function assetRules(files: readonly string[], settings: AssetSettings, redirects: string): AssetRules {
  const { not_found_handling: handling = "none", run_worker_first: first } = settings;
  const listed = Array.isArray(first) ? first : [];
  const workerFirst = listed.filter((rule) => !rule.startsWith("!")).map(expressionOf);
  const never = listed.filter((rule) => rule.startsWith("!")).map((rule) => expressionOf(rule.slice(1)));
  const withPage = Array.isArray(first) ? "all" : "navigation";
  return {
    paths: [...new Set(files.flatMap(pathsOfAsset))],
    prefixes: redirectPrefixes(redirects),
    workerFirst,
    never,
    notFound: handling === "none" ? "none" : withPage,
  };
}

function isPage(file: string): boolean {
  return /\.html?$/.test(file);
}

/**
 * Lists the paths at which a file is found. A page is found with its ending and without, with a slash behind and
 * without.
 */
function pathsOfAsset(file: string): readonly string[] {
  if (!isPage(file)) {
    return [file];
  }
  const bare = file.replace(/\.html?$/, "");
  const paths = [file, bare, `${bare}/`];
  if (!bare.endsWith("/index")) {
    return paths;
  }
  const folder = bare.slice(0, -"index".length);
  return [...paths, folder, folder.slice(0, -1)].filter((path) => path !== "");
}

/** Lists the beginnings of paths that rules of _redirects are about, up to the first placeholder. */
function redirectPrefixes(redirects: string): readonly string[] {
  const lines = redirects.split(/\r?\n/).map((line) => line.trim());
  const sources = lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.split(/\s+/)[0] ?? "");
  return [...new Set(sources.map((source) => source.replace(/[*:].*$/, "")))];
}

/**
 * Makes an expression of a rule such as "/api/*". What a star takes before another one is the least that fits, and is not
 * tried again: the time grows by the length of the path alone, however many stars there are.
 */
function expressionOf(rule: string): string {
  const escaped = rule.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  const [first = "", ...others] = escaped.split("*");
  const last = others.pop();
  const between = others.map((part, index) => `(?=(.*?${part}))\\${index + 1}`).join("");
  return `^${first}${between}${last === undefined ? "" : `.*${last}`}$`;
}
