export { assertNever } from './assert-never.js';
export { isBlankText } from './text/blank-text.js';
export { jsonObjectSchema } from './json.js';
export type { JsonObject, JsonValue } from './json.js';
export { isWellFormedText, toWellFormed, toWellFormedJson, toWellFormedText } from './text/well-formed.js';
export { toCanonicalJson } from './canonical-json.js';
export { computeBackoffMs } from './backoff.js';
export type { Backoff } from './backoff.js';
export { yieldOnce, createYielder } from './yield-loop.js';
