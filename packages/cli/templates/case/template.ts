import { whyNoCaseId } from "@evenbench/bundle";
import { defineTemplate } from "../../src/create/template.ts";

export default defineTemplate({
  parent: "packages/cases",
  whyNoId: whyNoCaseId,
  next: (id) => [
    `npm test -- packages/cases/${id}`,
    `npm run bench -- preflight --app bundle --accept ${id}   # shows the body, and writes its golden values`,
    `npm run bench -- --app bundle --case ${id}`,
  ],
});
