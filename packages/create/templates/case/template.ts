import { whyNoCaseId } from "@evenbench/bundle";
import { defineTemplate } from "../../src/template.ts";

export default defineTemplate({
  parent: "packages/cases",
  whyNoId: whyNoCaseId,
  next: (id) => [
    `npm test -- packages/cases/${id}`,
    `npm run bench -- preflight --app bundle --case ${id}   # prints the golden values to confirm`,
    `npm run bench -- --app bundle --case ${id}`,
  ],
});
