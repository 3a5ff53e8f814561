export { assertNever } from './assert-never.js';
export { isBlankText } from './text/blank-text.js';
export { jsonObjectSchema } from './json.js';
export type { JsonObject, JsonValue } from './json.js';
export { isWellFormedText, wellFormed, wellFormedJson, wellFormedText } from './text/well-formed.js';
export { canonicalJson } from './canonical-json.js';
export { backoffDelay } from './backoff.js';
export type { Backoff } from './backoff.js';
export { takeTurn, yielding } from './yield-loop.js';
