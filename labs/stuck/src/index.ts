export { lazyPolicy } from './misbehaviour/lazy/lazy-model.js';
export { BOMB_DOCUMENTS, bombFamilies } from './misbehaviour/pattern-bombs.js';
export type { BombFamily } from './misbehaviour/pattern-bombs.js';
