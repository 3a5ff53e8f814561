import {
  learningActions,
  learningReasons,
  learningTraceTypes,
  MAX_TRACE_TEXT,
  STORE_TRACE,
} from '@phaseline/contracts';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

const text = z.string().trim().min(1).max(MAX_TRACE_TEXT);
const type = z.enum(learningTraceTypes);

/** Tools for learning traces: what went wrong or was decided before. */
export const learningSpec = declarePack('learning', {
  [STORE_TRACE]: {
    lane: 'remote',
    description:
      'Records something to learn from: what happened, what would have been correct, and why. What guards, checks and people refuse or decide is recorded without a call.',
    traits: ['bookkeeping'],
    input: z.strictObject({
      type: type.describe('violation: it was wrong; approval: a person allowed it; decision: it was chosen'),
      happened: text,
      correct: text.optional().describe('What would have been correct.'),
      why: text.optional(),
      action: z.enum(learningActions).optional().describe('What was done, if one of these fits.'),
      reason: z.enum(learningReasons).optional().describe('Why it ended so, if one of these fits.'),
    }),
    result: z.strictObject({ stored: z.literal(true) }),
    effect: 'idempotent',
    timeoutMs: 30_000,
  },
  query_traces: {
    lane: 'remote',
    description:
      'Finds what went wrong or was decided before in this job, and what people promoted from other jobs, one line each. Read those that seem to fit with get_trace. Use it before work that may repeat a mistake.',
    traits: ['bookkeeping'],
    input: z.strictObject({
      text: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe('What to look for, in plain words. Without it, the newest are listed.'),
      type: type.optional(),
      agent: z.string().min(1).max(100).optional().describe('Name of the agent that it happened to.'),
    }),
    effect: 'pure',
    timeoutMs: 30_000,
  },
  get_trace: {
    lane: 'remote',
    description: 'Returns one of the traces that query_traces found.',
    traits: ['bookkeeping'],
    input: z.strictObject({
      id: z.uuid(),
      level: z
        .enum(['summary', 'full'])
        .default('summary')
        .describe("'summary' is enough to see whether it fits; 'full' has all that is known."),
    }),
    effect: 'pure',
    timeoutMs: 30_000,
  },
  extract_patterns: {
    lane: 'remote',
    description:
      'Lists the mistakes that were made at least five times in this job and in the traces that people promoted from other jobs, one line each: how many times, when, by whom, and what they have in common. get_trace reads the newest of each.',
    traits: ['bookkeeping'],
    input: z.strictObject({
      agent: z.string().min(1).max(100).optional().describe('Name of the agent that made them.'),
    }),
    effect: 'pure',
    timeoutMs: 30_000,
  },
});
