import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
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

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Why a program cannot be started, and what to do, by code of the error. */
const NOT_STARTED = {
  EAGAIN: "this user may start no more processes (ulimit -u). End some, or raise the limit",
  ENOENT: "it is not on the PATH. Install Node.js with npm",
};

/**
 * Runs a program to its end, and gives its exit code: 128 + signal when killed. It throws a `SetupError` where it cannot
 * be started.
 *
 * @param options those of `spawn`; `started`, which gets the child process; and `signalled`, which gets each signal to
 *   this process, and the child process.
 */
export function run(command, args, environment, options = {}) {
  const { started = () => {}, signalled = () => {}, ...spawning } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: environment,
      stdio: "inherit",
      ...spawning,
    });
    started(child);
    let isInterrupted = false;
    const onSignal = (signal) => {
      isInterrupted = true;
      // Ctrl-C reaches the child too (same process group). It decides when and how to end; we wait for it.
      if (signal !== "SIGINT") {
        child.kill(signal);
      }
      signalled(signal, child);
    };
    for (const signal of SIGNALS) {
      process.on(signal, onSignal);
    }
    const stopWatching = watchPackageManager(() => onSignal("SIGTERM"));
    const forget = () => {
      for (const signal of SIGNALS) {
        process.off(signal, onSignal);
      }
      stopWatching();
    };
    child.once("error", ({ code }) => {
      forget();
      const why = NOT_STARTED[code] ?? `the system says ${code}. Mend that`;
      reject(new SetupError(`${command} cannot be started: ${why}, then run the same command again.`));
    });
    child.once("close", (code, signal) => {
      forget();
      if (signal !== null && !isInterrupted) {
        console.error(
          `evenbench: ${command} was ended by ${signal}. If nothing above says why, this user has too little memory, or may start too few processes (ulimit -u).`,
        );
      }
      resolve(code ?? exitCodeOf(signal));
    });
  });
}

/** Milliseconds within which the last output of an ended program is read: what it left behind may hold the pipe. */
const OUTPUT_WITHIN_MS = 1000;

/**
 * Runs a program as `run` does, and passes its lines on as they come, freed of colours: standard output's and
 * standard error's.
 */
export function runByLines(command, args, environment, onLine) {
  const started = (child) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on("line", (line) => onLine(stripVTControlCharacters(line)));
      child.once("exit", () => setTimeout(() => input.destroy(), OUTPUT_WITHIN_MS).unref());
    }
  };
  return run(command, args, environment, { stdio: ["ignore", "pipe", "pipe"], started });
}

/**
 * Kills the processes that were started with a variable in their environment. Without /proc: none.
 *
 * @param variable name and value: "NAME=value".
 */
export function killAllWith(variable) {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter(Number) : [];
  for (const pid of pids.filter((id) => readProc(id, "environ").split("\0").includes(variable))) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
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
