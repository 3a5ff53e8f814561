import { z } from 'zod';
import { jsonObjectSchema } from '@phaseline/basics';
import { jobIdSchema } from '../ids/ids.js';

const folders = z.array(z.string()).min(1);

/** Which cases are run, and with which model. */
const runCasesRequestSchema = z.strictObject({
  kind: z.literal('run'),
  folders: z.strictObject({ agentsDir: folders, workflowsDir: folders, modelsDir: folders }),
  /** Only the cases beside this agent. */
  agent: z.string().optional(),
  /** A folder with cases, instead of those beside agents. */
  casesFolder: z.string().optional(),
  /** Only the case of this name. */
  case: z.string().optional(),
  /** Only cases of this kind; or the name of the profile of a real model, with which all cases are run. */
  model: z.string().optional(),
  /** A guard with which each case that passes runs a second time, as if it were in production. */
  guard: jsonObjectSchema.optional(),
});

/** The part of a recorded job that becomes a case. */
const addCaseRequestSchema = z.strictObject({
  kind: z.literal('add'),
  job: jobIdSchema,
  /** Position in the log up to which answers are taken. */
  position: z.int().min(1),
  name: z.string(),
  /** Folder that is created for the case. */
  folder: z.string(),
  /** What must be true of the case; by default, how the job was at the position. */
  expect: jsonObjectSchema.optional(),
});

export const caseRequestSchema = z.discriminatedUnion('kind', [runCasesRequestSchema, addCaseRequestSchema]);

const caseModelKinds = ['scripted', 'recorded', 'real'] as const;

/** The expectations that do not hold, each with its path in the case. */
const failuresSchema = z.array(z.object({ expectation: z.string(), expected: z.string(), found: z.string() }));

const caseResultSchema = z.object({
  name: z.string(),
  agent: z.string(),
  file: z.string(),
  model: z.enum(caseModelKinds),
  passed: z.boolean(),
  durationMs: z.int().min(0),
  failures: failuresSchema,
  /** The run with the guard of the request; absent without one, and for a case that fails in any case. */
  guarded: z.object({ passed: z.boolean(), failures: failuresSchema }).optional(),
});

/** What the program prints, one message per line. */
export const caseMessageSchema = z.discriminatedUnion('kind', [
  /** Definitions or cases that cannot be used, each with its file and the path of the member. */
  z.object({ kind: z.literal('invalid'), problems: z.array(z.string()) }),
  z.object({ kind: z.literal('ran'), result: caseResultSchema }),
  z.object({
    kind: z.literal('added'),
    files: z.array(z.object({ path: z.string(), bytes: z.int().min(0) })),
    answers: z.int().min(0),
  }),
  /** Why the job cannot become a case. */
  z.object({ kind: z.literal('refused'), reason: z.string() }),
]);

export type CaseRequest = z.infer<typeof caseRequestSchema>;
export type RunCasesRequest = z.infer<typeof runCasesRequestSchema>;
export type AddCaseRequest = z.infer<typeof addCaseRequestSchema>;
export type CaseResult = z.infer<typeof caseResultSchema>;
export type CaseMessage = z.infer<typeof caseMessageSchema>;
