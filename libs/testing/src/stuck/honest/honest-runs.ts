import type { RunKind } from '../labelled-run.js';
import { checkingFiles } from './checking-files.js';
import { commanding } from './commanding.js';
import { mixed } from './mixed.js';
import { outside } from './outside.js';
import { reading } from './reading.js';
import { searching } from './searching.js';
import { writing } from './writing.js';

/**
 * Long behaviours that a reader of the log would call honest work: every call asks something that was not asked before, or asks again
 * because something has changed or time was needed. They were written without a look at the detector, and are not for tuning it.
 */
export const honestRuns: readonly RunKind[] = [
  ...checkingFiles,
  ...searching,
  ...reading,
  ...writing,
  ...commanding,
  ...outside,
  ...mixed,
];

export const HONEST_SEEDS: readonly number[] = [1, 2];
