import { whyNoId } from "@evenbench/core";
import { defineTemplate } from "../../src/create/template.ts";

export default defineTemplate({
  parent: "apps",
  whyNoId: (id) => whyNoId(id, "Platform"),
  next: (id) => [
    `npm test -- apps/${id}`,
    "npm run bench -- preflight --app bundle   # proves that it does the same work as the other platforms",
    "npm test -- packages/test/src/conformance/targets.process.test.ts   # every case on every platform",
    `npm test -- packages/test/src/conformance -t ${id}   # what tests this one alone`,
    `npm run bench -- --target ${id} --target node --case empty --quick   # a smoke test`,
  ],
});
