export { profile } from "./profile.ts";
export type { ProfileOptions, TakenProfile } from "./proof.ts";
export { renderProfile } from "./render.ts";
export { profileTarget } from "./under-load.ts";
