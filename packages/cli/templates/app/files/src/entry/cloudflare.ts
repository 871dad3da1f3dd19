import { respond } from "../respond.ts";

export default { fetch: respond };
