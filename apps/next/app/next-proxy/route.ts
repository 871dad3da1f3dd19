export { respond as GET } from "../../src/respond.ts";
