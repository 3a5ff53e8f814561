export { createWorkflowPolicy } from './misbehaviour/workflow-policy.js';
export { BOMB_DOCUMENTS, BOMB_FAMILIES } from './misbehaviour/pattern-bombs.js';
export type { BombFamily } from './misbehaviour/pattern-bombs.js';
