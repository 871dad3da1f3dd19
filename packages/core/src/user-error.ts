/** What a user can cause and fix: its message says what, why and what next, and is printed without a stack. */
export class UserError extends Error {}
