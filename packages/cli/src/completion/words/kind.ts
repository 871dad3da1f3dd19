import { listKinds } from "../../create/index.ts";

/** What `new` can add. */
export default listKinds;
