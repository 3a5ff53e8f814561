export { createLazyPolicy } from './misbehaviour/lazy/lazy-model.js';
export { BOMB_DOCUMENTS, BOMB_FAMILIES } from './misbehaviour/pattern-bombs.js';
export type { BombFamily } from './misbehaviour/pattern-bombs.js';
