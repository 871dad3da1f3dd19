import { ChildProcess } from "node:child_process";

/**
 * What a unit test may not do: many of them run at once, and a process that one leaves behind would disturb
 * the others.
 */
Object.assign(ChildProcess.prototype, {
  spawn() {
    throw new Error(
      "A unit test starts no process. Call its file *.process.test.ts (short), *.long.test.ts, or *.exclusive.test.ts where it changes the checkout.",
    );
  },
});
