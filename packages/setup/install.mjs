// Installs what the lock file names, with the pnpm that package.json names. Plain JavaScript on a bare Node.js 20.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodeOf, movingLine, runByLines, SetupError } from "./run.mjs";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Installs once for each state of the lock file and of the packages' manifests. It throws a `SetupError` with the
 * package manager's reason, or with the exit code of the signal that interrupted it.
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
  if (isContinuousIntegration(environment)) {
    const checked = await runManager(manager, ["--frozen-lockfile", "--lockfile-only"], environment);
    if (checked.code !== 0) {
      throw new SetupError(whatTheLockFileLacks(checked.output) ?? failureOf(checked));
    }
  }
  const installed = await runManager(manager, [], environment);
  if (installed.code !== 0) {
    throw new SetupError(failureOf(installed));
  }
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, fingerprint());
}

function isContinuousIntegration({ CI = "" }) {
  return CI !== "" && CI !== "false";
}

/**
 * Names its exit code, and what it said. On a terminal that is one line that moves, and the whole of it where it
 * fails; elsewhere it goes to standard error as it comes.
 */
async function runManager(manager, options, environment) {
  let interruption = null;
  const interrupted = (signal) => {
    interruption ??= signal;
  };
  for (const signal of SIGNALS) {
    process.on(signal, interrupted);
  }
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
    "--reporter=append-only",
    ...options,
  ];
  let output = "";
  // Standard output stays free for what the command itself prints (`serve --json`).
  const line = movingLine(process.stderr);
  const onLine = (text) => {
    output += `${text}\n`;
    if (line.moves) {
      line.show(`installing: ${text}`);
    } else {
      process.stderr.write(`${text}\n`);
    }
  };
  try {
    const code = await runByLines("npx", args, environment, onLine);
    line.clear();
    if (line.moves && code !== 0) {
      process.stderr.write(output);
    }
    if (interruption !== null) {
      throw new SetupError(
        "Installing packages was interrupted. Run the same command again to go on.",
        exitCodeOf(interruption),
      );
    }
    return { manager, code, output };
  } catch (error) {
    if (error.code !== "ENOENT") {
      throw error;
    }
    throw new SetupError(
      "npx is not on the PATH, and packages are installed by it. Install npm, which comes with Node.js.",
    );
  } finally {
    for (const signal of SIGNALS) {
      process.off(signal, interrupted);
    }
  }
}

/** A sentence on the first package.json that the lock file does not fit; null where that is not what was said. */
function whatTheLockFileLacks(output) {
  const [, file] = /is not up to date with (?:<ROOT>\/)?(\S+)/.exec(output) ?? [];
  if (!output.includes("ERR_PNPM_OUTDATED_LOCKFILE") || file === undefined) {
    return null;
  }
  const [, added] = /dependencies were added: (.+)/.exec(output) ?? [];
  const names = added?.split(", ").map((specifier) => specifier.replace(/(.)@.*$/, "$1"));
  const what =
    names === undefined
      ? `${file} asks for other versions than pnpm-lock.yaml has.`
      : `${file} names ${names.join(" and ")}, which pnpm-lock.yaml does not have.`;
  return `${what} Run this once without CI=true, and commit pnpm-lock.yaml.`;
}

/** Words of a package manager's output that blame the npm registry, or the way to it. */
const OF_THE_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|UND_ERR_\w+|ERR_PNPM_(?:META_)?FETCH_\w+|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+)\b/;

function failureOf({ manager, code, output }) {
  const reason = reasonIn(output) ?? `${manager} ended with code ${code}`;
  const next = OF_THE_NETWORK.test(output) ? "Check that the npm registry can be reached" : "Mend that";
  return `Packages could not be installed: ${reason}. ${next}, then run the same command again.`;
}

/**
 * The line by which pnpm or npm says what failed; its last line where none is marked so; null where it said
 * nothing.
 */
function reasonIn(output) {
  const lines = output.split("\n").map((line) => line.trim().replace(/\s+/g, " "));
  const marked =
    lines.findLast((line) => /^(?:ERR_\w+|ERROR|E[A-Z0-9]{3,}) ./.test(line)) ??
    lines.find((line) => /^npm (?:error|ERR!) (?!code |errno |syscall )./.test(line)) ??
    lines.findLast((line) => line !== "");
  return marked?.replace(/[.]$/, "") ?? null;
}

function fingerprint() {
  const parents = ["apps", "packages", "packages/cases"].filter((parent) => existsSync(parent));
  const below = parents.flatMap((parent) =>
    readdirSync(parent)
      .map((name) => join(parent, name))
      .sort(),
  );
  const folders = ["", ...below];
  const files = [
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    ...folders.map((folder) => join(folder, "package.json")),
  ];
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  for (const file of files) {
    if (existsSync(file)) {
      hash.update(`${file}\n`).update(readFileSync(file));
    }
  }
  return hash.digest("hex");
}
