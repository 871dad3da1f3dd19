import { existsSync } from "node:fs";
import { Argument, type Command, type Option } from "commander";

const FOLDER = new URL("words/", import.meta.url);

/**
 * The names that an option or an argument takes: those of the file of `words/` that is called like it, like
 * what stands in its brackets ("target" of `--baseline <target>`), or, for an argument, like its command.
 * None where there is no such file.
 */
export async function namesFor(taker: Option | Argument, command?: Command): Promise<readonly string[]> {
  const own =
    taker instanceof Argument ? [taker.name(), command?.name()] : [taker.attributeName(), inBrackets(taker)];
  const file = own.map((name) => new URL(`${name}.ts`, FOLDER)).find((url) => existsSync(url));
  if (file === undefined) return [];
  const { default: list }: { default: () => Promise<readonly string[]> } = await import(file.href);
  return list();
}

function inBrackets({ flags }: Option): string {
  return /[<[]([\w-]+)/.exec(flags)?.[1] ?? "";
}
