export { GET } from "../../lib/server/respond.ts";
