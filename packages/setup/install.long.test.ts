import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const place = realpathSync(mkdtempSync(join(tmpdir(), "evenbench-setup-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const PNPM = realpathSync(join(import.meta.dirname, "../../node_modules/pnpm/bin/pnpm.cjs"));
/** npx would ask the registry for the package manager. This one runs the same pnpm from the disk. */
const NPX = `#!/bin/sh
[ "$1 $2 $3" = "--yes --loglevel=error pnpm@10.34.9" ] || exit 64
shift 3
exec "${process.execPath}" "${PNPM}" "$@"
`;

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

beforeAll(() => {
  mkdirSync(join(place, "bin"));
  writeFileSync(join(place, "bin/npx"), NPX);
  chmodSync(join(place, "bin/npx"), 0o755);
  mkdirSync(join(place, "package"));
  writeFileSync(join(place, "package/package.json"), JSON.stringify({ name: "local", version: "1.0.0" }));
  execFileSync("tar", ["-czf", join(place, "local-1.0.0.tgz"), "-C", place, "package"]);
});

let clones = 0;

/**
 * Makes a clone with this folder's own door, a package of its own, and a dependency that comes from no
 * registry.
 */
function makeClone(root: Manifest = {}): string {
  clones += 1;
  const clone = join(place, `clone-${clones}`);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    writeFileSync(join(clone, file), text);
  };
  mkdirSync(join(clone, "apps"), { recursive: true });
  for (const file of ["start.mjs", "tasks.mjs", "toolchain.mjs", "install.mjs", "run.mjs"]) {
    cpSync(join(import.meta.dirname, file), join(clone, "packages/setup", file));
  }
  cpSync(join(place, "local-1.0.0.tgz"), join(clone, "local-1.0.0.tgz"));
  const manifest = {
    name: "root",
    private: true,
    type: "module",
    packageManager: "pnpm@10.34.9",
    dependencies: { local: "file:local-1.0.0.tgz" },
    ...root,
  };
  write("package.json", JSON.stringify(manifest));
  write("pnpm-workspace.yaml", "packages:\n  - packages/*\n");
  write("packages/cli/package.json", JSON.stringify({ name: "cli", version: "0.0.0", type: "module" }));
  write("packages/cli/evenbench.ts", 'console.log("the command ran");\n');
  return clone;
}

function startIn(clone: string, env: Readonly<Record<string, string>> = {}) {
  const { CI: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ["packages/setup/start.mjs", "bench"], {
    cwd: clone,
    env: {
      ...inherited,
      PATH: `${join(place, "bin")}:${process.env.PATH}`,
      HOME: join(place, "home"),
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_fetch_retries: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.stderr += chunk;
  });
  const ended = once(child, "close").then(([code]) => ({ code, ...said }));
  return { child, ended };
}

const RAN = { code: 0, stdout: "the command ran\n" };

/** A failure has one line of ours, at the end. */
function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

test("packages are installed once, again for another user without a terminal, and in a clone that was moved", async () => {
  const clone = makeClone();
  const first = await startIn(clone).ended;
  expect(first, first.stderr).toMatchObject(RAN);
  expect(first.stderr).toContain("Done in");
  expect(await startIn(clone).ended).toMatchObject({ ...RAN, stderr: "" });

  rmSync(join(clone, "node_modules/.evenbench-setup"));
  const other = await startIn(clone, { HOME: join(place, "other-home") }).ended;
  expect(other, other.stderr).toMatchObject(RAN);

  const moved = `${clone} (moved)`;
  renameSync(clone, moved);
  expect(await startIn(moved).ended).toMatchObject({ ...RAN, stderr: "" });
  rmSync(join(moved, "node_modules/.evenbench-setup"));
  const again = await startIn(moved, { CI: "true" }).ended;
  expect(again, again.stderr).toMatchObject(RAN);
});

const FAILED = expect.stringMatching(
  /^evenbench: Packages could not be installed: pnpm@10\.34\.9 says why above \(exit code \d+\)\. Mend that/,
);

test("with CI=true, pnpm names what the lock file lacks, and no package is removed", async () => {
  const clone = makeClone();
  await startIn(clone).ended;
  const manifest = { name: "cli", version: "0.0.0", type: "module", dependencies: { marked: "^16.0.0" } };
  writeFileSync(join(clone, "packages/cli/package.json"), JSON.stringify(manifest));
  const { code, stdout, stderr } = await startIn(clone, { CI: "true", HOME: join(place, "other-home") })
    .ended;
  expect([code, stdout, lastLine(stderr)]).toEqual([1, "", FAILED]);
  expect(stderr).toMatch(
    /pnpm-lock\.yaml is not up to date with .*packages\/cli\/package\.json[\s\S]*marked/,
  );
  expect(existsSync(join(clone, "node_modules/local/package.json"))).toBe(true);
});

test.each([
  [{ marked: "16.0.0" }, /127\.0\.0\.1:9.*ECONNREFUSED/],
  [{ gone: "file:gone.tgz" }, /gone\.tgz/],
])(
  "what pnpm says of %j that cannot be installed is shown, also where npm is to be silent",
  async (dependencies, reason) => {
    const clone = makeClone({ dependencies });
    const { code, stderr } = await startIn(clone, { npm_config_loglevel: "silent" }).ended;
    expect([code, lastLine(stderr)]).toEqual([1, FAILED]);
    expect(stderr).toMatch(reason);
  },
);

/** Starts a process that outlives its script and holds its pipe, says its id, and goes on. */
const LEAVES_ONE = `(trap "" INT TERM HUP; exec sleep 300) & echo $! > began; exec sleep 60\n`;

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)(
  "%s while packages are installed ends them, and what their scripts left, with exit code %i",
  async (signal, expected) => {
    const clone = makeClone({ scripts: { preinstall: "sh leaves-one.sh" } });
    writeFileSync(join(clone, "leaves-one.sh"), LEAVES_ONE);
    const began = join(clone, "began");
    const { child, ended } = startIn(clone);
    await expect.poll(() => existsSync(began) && readFileSync(began, "utf8").endsWith("\n")).toBe(true);
    process.kill(-(child.pid ?? Number.NaN), signal);
    const { code, stderr } = await ended;
    expect(lastLine(stderr)).toBe(
      "evenbench: Installing packages was interrupted. Run the same command again to go on.",
    );
    expect(code).toBe(expected);
    // Of what has ended a zombie is left where its parent does not ask.
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", readFileSync(began, "utf8").trim()]);
    expect(String(stdout)).toMatch(/^Z|^$/);
  },
);

test("without npx one line says so", async () => {
  const clone = makeClone();
  const { code, stderr } = await startIn(clone, { PATH: join(place, "empty") }).ended;
  expect([code, lastLine(stderr)]).toEqual([
    1,
    expect.stringContaining("npx cannot be started: it is not on the PATH"),
  ]);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test("a checkout with Windows line ends is told how to get others, and that works", async () => {
  const clone = makeClone();
  await startIn(clone).ended;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], { cwd: clone });
  cpSync(join(import.meta.dirname, "../../.gitattributes"), join(clone, ".gitattributes"));
  writeFileSync(join(clone, ".gitignore"), "node_modules\n");
  const file = join(clone, "package.json");
  const text = `${JSON.stringify(JSON.parse(readFileSync(file, "utf8")), null, 2)}\n`;
  writeFileSync(file, text);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "All");
  // As Git for Windows checked it out before there was a .gitattributes: the index takes it for unchanged.
  writeFileSync(file, text.replaceAll("\n", "\r\n"));
  git("add", "--all");
  const { stderr } = await startIn(clone).ended;
  const [, remedy = ""] = /^! This checkout has Windows line ends, .* run: (.+)$/m.exec(stderr) ?? [];
  execFileSync("sh", ["-c", remedy], { cwd: clone });
  expect(readFileSync(file, "utf8")).toBe(text);
  expect((await startIn(clone).ended).stderr).not.toContain("Windows");
});
