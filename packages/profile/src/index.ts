export { type ProfileOptions, profile, profileTarget } from "./profile.ts";
export { renderProfile } from "./render.ts";
