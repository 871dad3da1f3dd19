import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "@evenbench/host";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";

/** A rule that says which kind of module a file is ("Configuration - Bundling" in Cloudflare's documentation). */
export interface ModuleRule {
  readonly type: string;
  readonly globs: readonly string[];
}

/** The part of wrangler.jsonc that we read. The rest is kept as it is. */
export interface WranglerConfiguration {
  readonly name?: string;
  readonly main: string;
  readonly base_dir?: string;
  readonly compatibility_date: string;
  readonly compatibility_flags?: readonly string[];
  readonly rules?: readonly ModuleRule[];
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly assets?: { readonly directory?: string; readonly binding?: string };
  readonly services?: readonly { readonly binding: string; readonly service: string }[];
  readonly [other: string]: unknown;
}

/** @throws {HostError} when the folder has no wrangler.jsonc, or it is malformed or lacks what is always needed. */
export async function readWranglerConfiguration(directory: string): Promise<WranglerConfiguration> {
  const file = join(directory, "wrangler.jsonc");
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch {
    throw new HostError(`There is no wrangler.jsonc in ${directory}. Build it with \`npm run build\`.`);
  }
  const errors: ParseError[] = [];
  const content: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    throw new HostError(`${file} cannot be read: ${printParseErrorCode(error.error)} in line ${line}.`);
  }
  if (!isConfiguration(content)) throw new HostError(`${file} must name "main" and "compatibility_date".`);
  return content;
}

function isConfiguration(content: unknown): content is WranglerConfiguration {
  if (typeof content !== "object" || content === null) return false;
  const { main, compatibility_date: date } = content as Record<string, unknown>;
  return typeof main === "string" && typeof date === "string";
}
