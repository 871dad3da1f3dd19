import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

/** An error that one line explains; `code` is the exit code of the whole command. */
export class SetupError extends Error {
  constructor(message, code = 1) {
    super(message);
    this.code = code;
  }
}

/**
 * Runs a program to its end, and gives its exit code: 128 + signal when killed.
 *
 * @param options those of `spawn`, and `started`, which gets the child process.
 */
export function run(command, args, environment, { started = () => {}, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: environment,
      stdio: "inherit",
      ...options,
    });
    started(child);
    // Ctrl-C reaches the child too (same process group). It decides when and how to end; we wait for it.
    const wait = () => {};
    const pass = (signal) => child.kill(signal);
    process.on("SIGINT", wait).on("SIGTERM", pass).on("SIGHUP", pass);
    const stopWatching = watchPackageManager(() => pass("SIGTERM"));
    const forget = () => {
      process.off("SIGINT", wait).off("SIGTERM", pass).off("SIGHUP", pass);
      stopWatching();
    };
    child.once("error", (error) => {
      forget();
      reject(error);
    });
    child.once("close", (code, signal) => {
      forget();
      resolve(code ?? exitCodeOf(signal));
    });
  });
}

/**
 * Runs a program as `run` does, and passes its lines on as they come, freed of colours: standard output's and
 * standard error's.
 */
export function runByLines(command, args, environment, onLine) {
  const started = ({ stdout, stderr }) => {
    for (const input of [stdout, stderr]) {
      createInterface({ input }).on("line", (line) => onLine(stripVTControlCharacters(line)));
    }
  };
  return run(command, args, environment, { stdio: ["ignore", "pipe", "pipe"], started });
}

/** A terminal without a size says 0. */
const USUAL_COLUMNS = 80;

/**
 * One line of a terminal that moves: each text takes the place of the one before. Elsewhere nothing moves.
 *
 * @param stream where it is written. A dumb terminal cannot go back.
 */
export function movingLine(stream) {
  // Whoever reads it may leave: the program goes on all the same.
  stream.on("error", () => {});
  const moves = stream.isTTY === true && process.env.TERM !== "dumb";
  return {
    moves,
    show(text) {
      if (moves && text.trim() !== "") {
        // What took two rows could not be replaced.
        stream.write(`\r\u001b[2K${text.slice(0, (stream.columns || USUAL_COLUMNS) - 1)}`);
      }
    },
    clear() {
      if (moves) {
        stream.write("\r\u001b[2K");
      }
    },
  };
}

/** 128 and the signal's number, as shells have it. */
export function exitCodeOf(signal) {
  return 128 + (constants.signals[signal] ?? 0);
}

const LOOK_EVERY_MS = 1000;
/** Set by npm, npx and pnpm for what they start. */
const MANAGER_VARIABLE = "npm_execpath";

/** Calls back when the package manager above, or a shell between, is gone: its signals do not get through. */
function watchPackageManager(onGone) {
  if (process.env[MANAGER_VARIABLE] === undefined) {
    return () => {};
  }
  const above = pidsAbove();
  const timer = setInterval(() => {
    // A process whose parent ends gets another one at once.
    if (pidsAbove() === above) {
      return;
    }
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Up to the first process that no package manager started. Without /proc: the parent alone. */
function pidsAbove() {
  const pids = [process.ppid];
  while (`\0${readProc(pids.at(-1), "environ")}`.includes(`\0${MANAGER_VARIABLE}=`)) {
    pids.push(Number(/^PPid:\s*(\d+)/m.exec(readProc(pids.at(-1), "status"))?.[1] ?? 1));
  }
  return pids.join();
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // Gone, or another system than Linux.
    return "";
  }
}
