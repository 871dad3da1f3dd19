import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellOption, shellWord } from "./shell.ts";

test.each([
  "n`;touch PWNED;`",
  "n';touch PWNED;'",
  "$(touch PWNED)",
  "~root",
  "=ls",
  "",
  "a b\n\u0003touch PWNED\n",
  "it's!\u202e\\x \u001b[2J é",
  "--config=evil.ts",
])("a shell reads %j as that word", (word) => {
  const text = shellWord(word);
  expect(text).toMatch(/^[^\p{C}]*$/u);
  const read = execFileSync("bash", ["-c", `printf %s ${text}`], { encoding: "utf8" });
  expect(read).toBe(word);
});

test("a value is no option of its own", () => {
  expect(shellOption("--allow", "--config=evil.ts")).toBe("--allow=--config=evil.ts");
  expect(shellOption("--case", "trig")).toBe("--case trig");
});
