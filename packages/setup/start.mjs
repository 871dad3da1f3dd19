// The door of the repository: `npm run bench`, `npm test`. Runs on a bare Node.js 20 before anything is installed,
// so it is plain JavaScript without dependencies.
import { SetupError } from "./run.mjs";
import { tasks } from "./tasks.mjs";
import { prepare } from "./toolchain.mjs";

const [name = "bench", ...words] = process.argv.slice(2);
// pnpm hands on the `--` that npm takes away.
const args = words[0] === "--" ? words.slice(1) : words;

try {
  const task = tasks[name];
  if (task === undefined) {
    throw new SetupError(`There is no task "${name}". Tasks: ${Object.keys(tasks).join(", ")}.`, 2);
  }
  process.exitCode = await task(await prepare(), args);
} catch (error) {
  if (!(error instanceof SetupError)) {
    throw error;
  }
  console.error(`evenbench: ${error.message}`);
  process.exitCode = error.code;
}
