// Preloaded with --import: writes the URL of each module that is loaded, one a line, to standard error at the end.
import { registerHooks } from "node:module";

const loaded = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) loaded.push(url);
    return next(url, context);
  },
});
process.on("exit", () => process.stderr.write(loaded.join("\n")));
