import { ChildProcess } from "node:child_process";

/** A process that a unit test leaves behind would disturb the others. */
Object.assign(ChildProcess.prototype, {
  spawn() {
    throw new Error(
      "A unit test starts no process. Call its file *.process.test.ts (short), *.long.test.ts, or *.exclusive.test.ts where it changes the checkout.",
    );
  },
});
