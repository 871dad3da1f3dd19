import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testFolder, writeFiles } from "@evenbench/host/testing/folder";
import { expect, test } from "vitest";
import { readEnvironment } from "./environment.ts";

const folder = testFolder();

test("later files replace values of earlier ones, and what was given replaces all; each name says whether it counts", () => {
  const given = join(folder, "given");
  writeFiles(folder, {
    ".env": "A=1\nB=1\nC=1\nD=1\nPORT=3000\nHOME=/h\nNODE_ENV=development\n",
    ".env.local": 'B="2"\n',
    ".dev.vars": "C=3\n",
    ".env.example": "A=\nE=5\nF=\nPORT=\n",
    ".env.sample/README": "a folder",
    "env.dist": "\0",
    given: `D=4\nURL=$B/\${NOWHERE}\${NOWHERE:-}\n`,
  });
  const { variables, read } = readEnvironment([folder], [given]);
  expect({ ...variables }).toEqual({ A: "1", B: "2", C: "3", D: "4", URL: "2/" });
  const why = "Evenbench sets it";
  const reserved = ["PORT", "HOME", "NODE_ENV"].map((what) => ({ what, why }));
  expect(read).toEqual([
    { file: ".env", applied: ["A", "B", "C", "D"], notApplied: reserved },
    { file: ".env.local", applied: ["B"], notApplied: [] },
    { file: ".dev.vars", applied: ["C"], notApplied: [] },
    {
      file: given,
      applied: ["D", "URL"],
      notApplied: [{ what: "NOWHERE in the value of URL", why: "no file sets it" }],
    },
    { file: ".env.example", applied: [], notApplied: [expect.objectContaining({ what: "E, F" })] },
  ]);
});

test.each([
  ["HOST_NAME=shop.example\nAPI=https://$HOST_NAME/api", "API", "https://shop.example/api"],
  ["PRICE=5\\$", "PRICE", "5$"],
  ["export A='b # c' # a comment", "A", "b # c"],
  ['A="one\ntwo"', "A", "one\ntwo"],
])("%j is read as wrangler, Vite and Next.js read it", (text, name, value) => {
  const file = join(folder, "one.env");
  writeFileSync(file, text);
  expect(readEnvironment([], [file]).variables[name]).toBe(value);
});

test("a file of the mode counts before that of the machine for Vite, and after it for Next.js; others are named", () => {
  const app = writeFiles(join(folder, "vite"), {
    "vite.config.ts": "",
    ".env.local": "A=of the machine",
    ".env.production": "A=of the mode",
    ".env.staging": "A=3",
  });
  const { variables, read } = readEnvironment([app], []);
  expect(variables.A).toBe("of the mode");
  expect(read.at(-1)).toMatchObject({ file: ".", notApplied: [{ what: ".env.staging" }] });
  writeFiles(app, { "next.config.ts": "" });
  expect(readEnvironment([app], []).variables.A).toBe("of the machine");
});

test.each([
  ["staging", "of staging"],
  ["production", "usual"],
  ["../app/staging", "usual"],
])("for the environment %s of wrangler's configuration the variables are those %s", (name, value) => {
  const app = writeFiles(join(folder, "app"), {
    ".env": `CLOUDFLARE_ENV=${name}`,
    ".dev.vars": "A=usual",
    ".dev.vars.staging": "A=of staging",
  });
  expect(readEnvironment([app], []).variables.A).toBe(value);
});

test("names of JavaScript's own objects are variables as others are, and references without an end are an error", () => {
  const file = join(folder, "odd.env");
  writeFileSync(file, "constructor=a\ntoString=b$constructor\n");
  expect({ ...readEnvironment([], [file]).variables }).toEqual({ constructor: "a", toString: "ba" });
  const tenfold = Array.from({ length: 12 }, (_, at) => `A${at + 1}=${`\${A${at}}`.repeat(10)}`);
  writeFileSync(file, ["A0=xxxxxxxxxx", ...tenfold].join("\n"));
  expect(() => readEnvironment([], [file])).toThrow(/odd\.env cannot be resolved: /);
});

test("a file of many blank lines is read, and a value keeps its own", () => {
  const file = join(folder, "blank.env");
  const blank = "\n".repeat(200_000);
  writeFileSync(file, `${blank}!${blank}A="1${blank}2"\n${" ".repeat(1000)}B=3`);
  expect({ ...readEnvironment([], [file]).variables }).toEqual({ A: `1${blank}2`, B: "3" });
});

test("a file of many variables is read, and what refers to one of them", () => {
  const file = join(folder, "many.env");
  const many = Array.from({ length: 20_000 }, (_, at) => `NAME_${at}=value ${at}`);
  writeFileSync(file, [...many, `SUM=$NAME_7 and \${NAME_19999}`].join("\n"));
  const { variables } = readEnvironment([], [file]);
  expect(Object.keys(variables)).toHaveLength(20_001);
  expect(variables.SUM).toBe("value 7 and value 19999");
});

test("a file that is not there is named", () => {
  expect(() => readEnvironment([folder], ["nowhere.env"])).toThrow("--env-file cannot read nowhere.env");
});

test.skipIf(process.platform === "win32")("a pipe that nobody writes to is not waited for", () => {
  const pipe = join(folder, "pipe.env");
  execFileSync("mkfifo", [pipe]);
  expect(() => readEnvironment([folder], [pipe])).toThrow(
    `--env-file cannot read ${pipe}: it is not a regular file. Give another file.`,
  );
});

test("a file of variables that a state has not is taken from the next folder where no commit has it, and no other", () => {
  const before = writeFiles(join(folder, "before"), { ".env.production": "ITEMS=1000\n" });
  const after = writeFiles(join(folder, "after"), {
    ".gitignore": "*.local\n",
    ".env": "ADDED=by the change\n",
    ".env.production": "ITEMS=20000\nNEW=1\n",
    ".env.local": "SECRET=here\n",
  });
  mkdirSync(join(after, ".git"));
  expect({ ...readEnvironment([before, after], []).variables }).toEqual({ ITEMS: "1000", SECRET: "here" });
  const ofAfter = { ADDED: "by the change", ITEMS: "20000", NEW: "1", SECRET: "here" };
  expect({ ...readEnvironment([after], []).variables }).toEqual(ofAfter);
  rmSync(join(after, ".git"), { recursive: true });
  expect({ ...readEnvironment([before, after], []).variables }).toEqual({
    ADDED: "by the change",
    ITEMS: "1000",
    SECRET: "here",
  });
});
