export { profile } from "./profile.ts";
export { type ProfileOptions, profileTarget } from "./profile-target.ts";
export { renderProfile } from "./render.ts";
