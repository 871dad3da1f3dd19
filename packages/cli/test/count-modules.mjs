import { registerHooks } from "node:module";

const loaded = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) {
      loaded.push(url);
    }
    return next(url, context);
  },
});
process.on("exit", () => process.stderr.write(loaded.join("\n")));
