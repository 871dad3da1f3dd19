import { join } from "node:path";
import { serverPlatform } from "@evenbench/bundle/deployable";
import { ownRuntime, refuseV8 } from "@evenbench/host";

export default serverPlatform({
  title: "Bun",
  colour: 4,
  description: "Bun.serve on this machine, on JavaScriptCore.",
  runtime: ownRuntime("Bun", join(import.meta.dirname, "runtime"), "bin/bun"),

  // Its parser of HTTP takes a request line that it cannot read for one of another version.
  refusesWith505: true,
  headSaysEmpty: true,

  flags(options) {
    refuseV8("Bun", options);
    // Nothing of the caller's own.
    return ["--no-install", "--no-env-file"];
  },
  environment: () => ({ DO_NOT_TRACK: "1" }),
});
