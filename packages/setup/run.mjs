import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

/** An error that one line explains; `code` is the exit code of the whole command. */
export class SetupError extends Error {
  constructor(message, code = 1) {
    super(message);
    this.code = code;
  }
}

/** Signals that end this process. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Milliseconds that a group of processes has to end before it is killed. */
const GRACE_MS = 5000;
/** Milliseconds between two looks at what still runs. */
const GROUP_LOOK_MS = 50;
/** Milliseconds within which the rest of an ended program's output is read, whoever else holds the pipe. */
const OUTPUT_WITHIN_MS = 1000;

/**
 * Runs a program until its process exits, and gives its exit code: 128 + signal when killed.
 *
 * @param options those of `spawn`; `started`, which gets the child process; and `signalled`, which gets the name of each
 *   signal that is to end it. Where `detached`, it has a process group of its own: that ends with it.
 */
export async function run(command, args, environment, options = {}) {
  const { started = () => {}, signalled = () => {}, ...spawning } = options;
  const child = spawn(command, args, { env: environment, stdio: "inherit", ...spawning });
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? exitCodeOf(signal)));
  });
  started(child);
  let ending = null;
  const end = (signal) => {
    signalled(signal);
    if (spawning.detached) {
      ending ??= endGroup(child.pid, GRACE_MS);
    } else if (signal !== "SIGINT") {
      child.kill(signal);
    }
    // Ctrl-C reaches a child of the same process group by itself. It decides when and how to end; we wait for it.
  };
  for (const signal of SIGNALS) {
    process.on(signal, end);
  }
  const stopWatching = watchPackageManager(() => end("SIGTERM"));
  try {
    const code = await ended;
    if (spawning.detached) {
      await (ending ?? endGroup(child.pid, 0));
    }
    return code;
  } finally {
    stopWatching();
    for (const signal of SIGNALS) {
      process.off(signal, end);
    }
  }
}

/** Ends a process group: by SIGTERM, and what is still there after `graceMs` by SIGKILL. */
async function endGroup(leader, graceMs) {
  const until = performance.now() + graceMs;
  let isThere = signalGroup(leader, "SIGTERM");
  while (isThere && performance.now() < until) {
    await delay(GROUP_LOOK_MS);
    isThere = signalGroup(leader, 0);
  }
  if (isThere) {
    signalGroup(leader, "SIGKILL");
  }
}

/** Sends a signal to a process group; 0 only asks. Tells whether there was anything to take it. */
function signalGroup(leader, signal) {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/**
 * Runs a program as `run` does, and passes its lines on as they come, freed of colours: standard output's and
 * standard error's.
 */
export async function runByLines(command, args, environment, onLine, options = {}) {
  let outputs = [];
  const started = ({ stdout, stderr }) => {
    outputs = [stdout, stderr];
    for (const input of outputs) {
      createInterface({ input }).on("line", (line) => onLine(stripVTControlCharacters(line)));
    }
  };
  const stdio = ["ignore", "pipe", "pipe"];
  const code = await run(command, args, environment, { ...options, stdio, started });
  const read = Promise.all(outputs.map((output) => output.closed || once(output, "close")));
  await Promise.race([read, delay(OUTPUT_WITHIN_MS, undefined, { ref: false })]);
  for (const output of outputs) {
    output.destroy();
  }
  return code;
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
