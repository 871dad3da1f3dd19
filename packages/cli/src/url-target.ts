import type { UrlTarget } from "@evenbench/runner";
import { UsageError } from "./nearest.ts";
import { commandOf } from "./own-servers/options.ts";

/** As target names are: words joined by hyphens, dots or underscores. An A/A copy's "~" is left to A/A copies. */
const NAME = /^[a-z][a-z0-9._-]{0,63}$/i;

/**
 * The target of a word "name=URL" on the command line.
 *
 * @param what "whole": a URL with a path is refused, since paths are given by themselves. "origin": it is left out.
 * @throws {UsageError} when the name, or the URL, is none that can be used.
 */
export function parseUrlTarget(word: string, app: string, what: "origin" | "whole" = "origin"): UrlTarget {
  const at = word.indexOf("=");
  const name = word.slice(0, at);
  const url = URL.parse(word.slice(at + 1));
  assertName(name);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const isCommand = commandOf(word) !== null;
    throw new UsageError(
      isCommand
        ? `"${word}" starts a server of your own, which only \`run\` does. Start it yourself, and give its address: ${name}=http://127.0.0.1:3000.`
        : `"${word}" is no target. Write name=URL, such as mine=https://worker.example.workers.dev.`,
    );
  }
  // Not repeated: it may be a password.
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(
      `The URL of "${name}" has a user or password in it, which targets are not asked with. Leave it out; a token goes with --token-for ${url.host}.`,
    );
  }
  if (what === "whole" && url.href !== `${url.origin}/`) {
    throw new UsageError(
      `The URL of "${name}" has a path. Give it to all targets: --target ${name}=${url.origin} --path ${url.pathname}${url.search}`,
    );
  }
  return { place: "url", name, app, url: url.origin };
}

function assertName(name: string): void {
  if (NAME.test(name) && !(name in Object.prototype)) return;
  throw new UsageError(
    `"${name.slice(0, 80)}" is no name for a target. Give one of at most 64 letters, digits, "-", "_" and ".", such as mine=https://worker.example.workers.dev.`,
  );
}
