export { type ProfileOptions, profile, profileTarget, type TakenProfile } from "./profile.ts";
export { renderProfile } from "./render.ts";
