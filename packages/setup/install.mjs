// Installs what the lock file names, with the pnpm that package.json names. Plain JavaScript on a bare Node.js 20.
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodeOf, killAllWith, run, SetupError } from "./run.mjs";

/** Milliseconds that the package manager has after a signal: it waits for what a script of a package left behind. */
const GRACE_MS = 3000;

/**
 * Installs once for each state of the lock file and of the packages' manifests. It throws a `SetupError`
 * where that fails, with the exit code of the signal where one interrupted it.
 *
 * @param environment of the package manager.
 * @param modules the folder for packages, `node_modules` in the clone's root, where this process stands.
 */
export async function install(environment, modules) {
  const stamp = join(modules, ".evenbench-setup");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint()) {
    return;
  }
  const manager = JSON.parse(readFileSync("package.json", "utf8")).packageManager;
  console.error(`evenbench: installing packages with ${manager} (once)`);
  // There the package manager changes no lock file. It would remove all packages before it says so.
  const steps = isContinuousIntegration(environment) ? [["--frozen-lockfile", "--lockfile-only"], []] : [[]];
  for (const options of steps) {
    const code = await runManager(manager, options, environment);
    if (code !== 0) {
      throw new SetupError(
        `Packages could not be installed: ${manager} says why above (exit code ${code}). Mend that, then run the same command again.`,
      );
    }
  }
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, fingerprint());
}

function isContinuousIntegration({ CI = "" }) {
  return CI !== "" && CI !== "false";
}

/**
 * Runs the package manager, and gives its exit code. All that it started ends with it.
 *
 * What it says goes to standard error: standard output stays free for what the command itself prints (`serve --json`).
 */
async function runManager(manager, options, environment) {
  const args = [
    // `npm run --silent` would silence both.
    "--yes",
    "--loglevel=error",
    manager,
    "install",
    "--loglevel=info",
    // Packages that another user installed, or on another disk, are replaced. Without a terminal nobody can be asked.
    "--config.confirm-modules-purge=false",
    // The version is the one that package.json names.
    "--config.update-notifier=false",
    ...options,
  ];
  const id = randomUUID();
  const killAll = () => killAllWith(`EVENBENCH_INSTALL=${id}`);
  let interruption = null;
  const signalled = (signal, npx) => {
    interruption ??= signal;
    setTimeout(() => {
      npx.kill("SIGKILL");
      killAll();
    }, GRACE_MS).unref();
  };
  const marked = { ...environment, EVENBENCH_INSTALL: id };
  try {
    const code = await run("npx", args, marked, { stdio: ["ignore", 2, 2], signalled });
    if (interruption === null) {
      return code;
    }
  } finally {
    killAll();
  }
  throw new SetupError(
    "Installing packages was interrupted. Run the same command again to go on.",
    exitCodeOf(interruption),
  );
}

/** Gives the state of the lock file and of the packages' manifests, for this kind of machine. */
function fingerprint() {
  const parents = ["apps", "packages", "packages/cases"].filter(existsSync);
  const folders = parents.flatMap((parent) =>
    readdirSync(parent)
      .sort()
      .map((name) => join(parent, name)),
  );
  const manifests = ["", ...folders].map((folder) => join(folder, "package.json"));
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...manifests].filter(existsSync)) {
    hash.update(`${file}\n`).update(readFileSync(file));
  }
  return hash.digest("hex");
}
