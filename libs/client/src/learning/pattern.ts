import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';

const count = z.int().min(0);

/** Query of `GET /v1/learning/patterns`. */
export const patternsQuerySchema = z
  .strictObject({
    agent: z.string().min(1).max(200).optional(),
    /** Only violations that happened at this time or later. */
    since: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ id: 'LearningPatternsQuery' });
export type PatternsQuery = z.infer<typeof patternsQuerySchema>;

const patternSchema = z
  .object({
    /** The same while further violations are added. */
    id: z.string(),
    tenant: z.string(),
    agent: z.string(),
    /** Code of the learning traces. A newer server may know further codes. */
    reason: z.string(),
    /** Absent for what was only noticed. */
    point: z.string().optional(),
    /** The guard that denied the calls. */
    guard: z.string().optional(),
    /** Absent for what is no call. */
    tool: z.string().optional(),
    /** Names and kinds of the arguments. */
    shape: z.string().optional(),
    /** Folder and ending of the files that people edited. */
    files: z.string().optional(),
    /** What a person may do about it: a stricter version of the guard, other instructions, or a new rule. */
    proposals: z.array(z.string()),
    /** Number of violations, and of jobs with them. */
    support: count,
    jobs: count,
    first: z.string(),
    last: z.string(),
    /** Of the answers that made them. */
    tokens: count,
    costMicroUsd: count,
    /** The newest violations, with the position of each in the log. The text was written by models and people. */
    examples: z.array(
      z.object({
        ...{ trace: z.uuid(), jobId: jobIdSchema, position: z.int().min(1) },
        ...{ at: z.string(), happened: z.string() },
      }),
    ),
  })
  .meta({ id: 'LearningPattern' });
export type PatternRecord = z.infer<typeof patternSchema>;

export const patternListSchema = z
  .object({
    /** The most frequent first. */
    items: z.array(patternSchema),
  })
  .meta({ id: 'LearningPatternList' });
export type PatternList = z.infer<typeof patternListSchema>;

export const guardProposalSchema = z
  .object({
    pattern: patternSchema,
    /** The file of a rule, a draft; absent if the pattern has no rule. */
    guard: z.record(z.string(), z.unknown()).optional(),
    /** Why the pattern has no rule. */
    problem: z.string().optional(),
  })
  .meta({ id: 'GuardProposal' });
export type GuardProposalRecord = z.infer<typeof guardProposalSchema>;

const patternProposalSchema = z
  .object({
    /** `stricter_guard`, `change_instructions` or `new_rule`. A newer server may know further kinds. */
    kind: z.string(),
    /** Why there is none; the other members are absent then. */
    problem: z.string().optional(),
    /** What changes, in one sentence. */
    summary: z.string().optional(),
    /** The whole file of a guard: the stricter version, or the new rule. */
    guard: z.record(z.string(), z.unknown()).optional(),
    /** The difference to what exists, as a unified diff. It quotes texts of models and people. */
    diff: z.string().optional(),
    /** Name of an agent with the changed instructions. */
    agent: z.string().optional(),
    /** The files of its folder by their paths. */
    files: z.record(z.string(), z.string()).optional(),
    /** The command that tries it on recorded jobs. */
    tryWith: z.string().optional(),
  })
  .meta({ id: 'LearningProposal' });
export type PatternProposalRecord = z.infer<typeof patternProposalSchema>;

export const patternProposalsSchema = z
  .object({ pattern: patternSchema, proposals: z.array(patternProposalSchema) })
  .meta({ id: 'LearningProposals' });
export type PatternProposals = z.infer<typeof patternProposalsSchema>;
