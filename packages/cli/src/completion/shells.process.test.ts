import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "@evenbench/host/services";
import { needs } from "@evenbench/host/services/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { evenbench } from "../../test/evenbench.ts";

const installed = async (shell: string) =>
  needs(
    (await findProgram(shell))
      ? null
      : `${shell} is not installed. Install it with: apt-get install ${shell}`,
  );
const [inBash, inZsh, inFish] = await Promise.all(["bash", "zsh", "fish"].map(installed));

let folder: string;
beforeAll(async () => {
  // A name that has to be quoted.
  folder = await mkdtemp(join(tmpdir(), "evenbench completion-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Writes the script of a shell. @returns its path. */
async function scriptOf(shell: string): Promise<string> {
  const { code, stdout } = await evenbench("completion", shell);
  expect(code).toBe(0);
  const file = join(folder, `evenbench.${shell}`);
  await writeFile(file, stdout);
  return file;
}

/** What a shell prints that runs a script of its own, without anybody's settings; `$1` is a file. */
async function ask(
  shell: string,
  options: readonly string[],
  script: string,
  file: string,
): Promise<string[]> {
  const { stdout, stderr } = await promisify(execFile)(shell, [...options, "-c", script, shell, file], {
    cwd: folder,
  });
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

test("bash completes with the script: commands, options, names, and files for the rest", inBash, async () => {
  const inShell = (words: string) =>
    ask(
      "bash",
      ["--norc", "--noprofile"],
      `source "$1"; complete -p evenbench; COMP_WORDS=(evenbench ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _evenbench; printf '%s\\n' "\${COMPREPLY[@]}"`,
      file,
    );
  const file = await scriptOf("bash");
  const registered = "complete -o default -F _evenbench evenbench";
  expect(await inShell("compl")).toEqual([registered, "completion"]);
  expect(await inShell("run --tri")).toEqual([registered, "--trials"]);
  expect(await inShell("run --case react-ssr-n")).toEqual([registered, "react-ssr-native"]);
  expect(await inShell("run --server-cores = ''")).toEqual([registered, "all", "apart"]);
  // A word with what a shell would run or expand comes back as nothing.
  expect(await inShell("run --case '$(touch ran)' '*'")).toEqual([registered]);
  expect(await inShell("report ''")).toEqual([registered]);
});

test("bash knows evenbench afterwards, and leaves a command of that name alone", inBash, async () => {
  const file = await scriptOf("bash");
  const [kind] = await ask("bash", ["--norc"], `source "$1"; type -t evenbench`, file);
  expect(kind).toBe("function");
  const own = await ask("bash", ["--norc"], `evenbench() { echo mine; }; source "$1"; evenbench`, file);
  expect(own).toEqual(["mine"]);
});

test("zsh completes with the script", inZsh ?? {}, async () => {
  const script = `autoload -Uz compinit && compinit -D -u; source "$1"; compadd() { print -l -- "\${@:2}" }; words=(evenbench run --case react-ssr-n); CURRENT=4; _evenbench`;
  expect(await ask("zsh", ["-f"], script, await scriptOf("zsh"))).toEqual(["react-ssr-native"]);
});

test("fish completes with the script", inFish ?? {}, async () => {
  const file = await scriptOf("fish");
  const { stdout } = await promisify(execFile)("fish", [
    "--no-config",
    "-c",
    `source '${file}'; complete -C 'evenbench run --case react-ssr-n'; complete -C 'evenbench lis'`,
  ]);
  expect(stdout).toBe("react-ssr-native\nlist\tlist the cases and the local targets\n");
});
