import { jsonObjectSchema } from '@phaseline/basics';
import { z } from 'zod';
import { backtestFiguresSchema } from '../guards/guard-evidence.js';
import { callIdSchema, jobIdSchema, streamIdSchema } from '../ids/ids.js';
import { amountSchema } from './amount.js';
import { jobSelection, startedMessageSchema } from './job-selection.js';

/** Maximum number and characters of the files of a guard set that a request contains. The characters are those of 8 MiB in base64. */
const MAX_SET_FILES = 500;
const MAX_SET_CHARACTERS = 4 * Math.ceil((8 * 1024 * 1024) / 3) + 4 * MAX_SET_FILES;

/** The files with which the commands of a guard set are run. Without them, a command guard is not asked. */
const backtestExecutionSchema = z.strictObject({
  files: z
    .array(
      z.strictObject({
        /** Relative to the folder of the set. */
        path: z
          .string()
          .max(1_000)
          .refine((path) => path.split('/').every((part) => !['', '.', '..'].includes(part)), {
            error: 'expected a path inside the folder',
          }),
        content: z.base64().max(MAX_SET_CHARACTERS),
        isExecutable: z.boolean(),
      }),
    )
    .max(MAX_SET_FILES)
    .refine((files) => files.reduce((sum, { content }) => sum + content.length, 0) <= MAX_SET_CHARACTERS, {
      error: 'expected at most 8 MiB of files',
    }),
});

/** A guard and the recorded jobs on which it is tried. */
export const backtestRequestSchema = z.strictObject({
  kind: z.literal('backtest'),
  /** The guard, as phases keep it. */
  guard: jsonObjectSchema,
  /** Whether only the figures of all jobs are wanted, and not what the guard would have done in each. */
  figuresOnly: z.boolean().optional(),
  /** Set to run a command guard, in the sandbox and without a network. */
  execution: backtestExecutionSchema.optional(),
  ...jobSelection,
});

/** What became of a call or a claim about which the guard decides something. */
const hitOutcomes = [
  'completed',
  'failed',
  /** A guard of the job denied it. */
  'denied-by-guard',
  /** The engine denied it, for example because a call before it waited. */
  'denied',
  /** A person refused to approve it. */
  'refused',
  /** Nobody approved it in time. */
  'expired',
  /** It was closed when its phase was cancelled. */
  'cancelled',
  'never-ended',
] as const;
export type HitOutcome = (typeof hitOutcomes)[number];

/** What a hit says about the guard, by what became of the call and of its job. */
export const hitAssessments = [
  /** The call succeeded, and its job completed: a person should check whether the guard is wrong. */
  'possibly-wrong',
  /** The call failed, or its job did: the guard might have saved what followed. */
  'might-have-saved',
  /** The call was not run: the guard would have changed nothing. */
  'stopped-anyway',
  /** The guard adds a text, or grants an approval. It stops nothing. */
  'stops-nothing',
  /** The job did not end, or a person cancelled it: the log does not show whether the call was right. */
  'open',
] as const;
export type HitAssessment = (typeof hitAssessments)[number];

const count = z.int().min(0);

/** Something that the guard would have decided. */
const backtestHitSchema = z.object({
  streamId: streamIdSchema,
  /** Version in its stream of the event at which the guard decides. */
  version: z.int().min(1),
  point: z.string(),
  decision: z.string(),
  /** Absent at the end of a phase. */
  callId: callIdSchema.optional(),
  tool: z.string().optional(),
  /** The recorded arguments as JSON. Long ones are shortened. */
  arguments: z.string().optional(),
  reason: z.string().optional(),
  /** What the guard would have put in the place of the arguments or of the result, as JSON. Long values are shortened. */
  amended: z.string().optional(),
  /** Why the guard could not decide by itself. The decision is then what its `onFailure` demands. */
  failure: z.string().optional(),
  outcome: z.enum(hitOutcomes),
  phaseEnd: z.enum(['completed', 'failed', 'cancelled', 'open']),
  assessment: z.enum(hitAssessments),
  /** Mean recorded step of the phase: its model call and the calls of its answer, without waits for people. */
  meanStep: amountSchema,
  /** What the phase recorded after the hit, up to its end. */
  after: amountSchema,
});
export type BacktestHit = z.infer<typeof backtestHitSchema>;

/** What a guard would have done in one job. */
export const jobBacktestSchema = z.object({
  jobId: jobIdSchema,
  /** How the job ended, or its status. */
  status: z.string(),
  /** Events that were read. */
  events: count,
  /** Calls and claims about which the guard was asked. */
  calls: count,
  /** Those whose outcome is known: the job completed or failed, or a person decided about the call. */
  labelled: count,
  /** Hook points of the guard at which it was not asked: what it would have decided there is not known. */
  untested: z.array(z.string()),
  /** Commits with claims that could not be decided again, so that the guard was not asked about them, by reason. */
  unknown: z.record(z.string(), count),
  /** Why the job could not be tested to its end: it cannot be read. */
  unreadable: z.string().optional(),
  /** In the order of the log. */
  hits: z.array(backtestHitSchema),
});
export type JobBacktest = z.infer<typeof jobBacktestSchema>;

/** What the program prints for a backtest, one message per line. The figures of all jobs are the last one. */
export const backtestMessageSchema = z.discriminatedUnion('kind', [
  startedMessageSchema,
  z.object({ kind: z.literal('backtested'), backtest: jobBacktestSchema }),
  z.object({ kind: z.literal('figures'), figures: backtestFiguresSchema }),
]);

export type BacktestRequest = z.infer<typeof backtestRequestSchema>;
export type BacktestMessage = z.infer<typeof backtestMessageSchema>;
