import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

const handoffId = z.string();

/** What the receiver has to achieve. */
const successCriteriaSchema = z.object({
  /** The tests of the item must pass. */
  testsPass: z.boolean(),
  /** Minimum percentage of covered lines, where the verifier reads coverage. */
  coverageMin: z.number().min(0).max(100).optional(),
});

/** What one agent hands over to another one. */
export const handoffSchema = z.object({
  handoff: handoffId,
  /** The agent that hands over, and the one that receives. */
  from: z.string(),
  agent: z.string(),
  /** What the receiver does. */
  task: z.string(),
  context: z.object({
    /** The item of the loop, such as a feature. */
    featureId: z.string().optional(),
    /** Files that the sender changed, the first ones by name. */
    filesChanged: z.array(z.string()),
    /** Number of all files that it changed. */
    filesChangedTotal: z.int().min(0),
    /** State of the workflow that was left. */
    previousState: z.string(),
  }),
  /** Files that the return of the sender names. */
  artifacts: z.array(z.string()),
  /** Paths that must exist before the receiver begins. */
  preconditions: z.array(z.string()),
  successCriteria: successCriteriaSchema,
  /** The agent that continues once the criteria are met, if the workflow names one. */
  nextAgent: z.string().optional(),
  timeoutMs: z.int().min(1).optional(),
});
export type Handoff = z.infer<typeof handoffSchema>;

const handoffIssued = defineEvent(
  'HandoffIssued',
  1,
  'An agent handed its work over to another one.',
  handoffSchema.extend({
    /** The phase of the sender. */
    phase: z.int().min(1),
  }),
);

const ofReceiver = z.object({
  handoff: handoffId,
  /** The phase of the receiver. */
  phase: z.int().min(1),
});

const handoffAccepted = defineEvent(
  'HandoffAccepted',
  1,
  'The preconditions of a handoff hold, and the phase of the receiver begins.',
  ofReceiver,
);

const handoffRefused = defineEvent(
  'HandoffRefused',
  1,
  'The preconditions of a handoff do not hold, or the phase of the receiver failed. It returns to the sender, as a failed attempt.',
  z.object({
    handoff: handoffId,
    /** The phase of the receiver, if it began. */
    phase: z.int().min(1).optional(),
    reason: z.string(),
  }),
);

const handoffCompleted = defineEvent(
  'HandoffCompleted',
  1,
  'The receiver ended its phase with an outcome, whose checks held.',
  ofReceiver.extend({
    outcome: z.string(),
    /** Percentage of covered lines, or that no verifier measured it. */
    coverage: z.union([z.number().min(0).max(100), z.literal('not measured')]),
  }),
);

const handoffTimedOut = defineEvent(
  'HandoffTimedOut',
  1,
  'The receiver did not end in time. The handoff returns to the sender, as a failed attempt.',
  ofReceiver,
);

const handoffRolledBack = defineEvent(
  'HandoffRolledBack',
  1,
  'The workspace returns to the files with which the work began. The next phase begins with them.',
  z.object({
    handoff: handoffId.optional(),
    /** The phase whose files at its beginning are restored. */
    to: z.int().min(1),
    /** Numbers of files that are written again, and deleted. */
    restored: z.int().min(0),
    deleted: z.int().min(0),
  }),
);

export const handoffEventDefinitions = [
  handoffIssued,
  handoffAccepted,
  handoffRefused,
  handoffCompleted,
  handoffTimedOut,
  handoffRolledBack,
] as const;
