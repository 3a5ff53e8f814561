import { checksSchema, matchersSchema, patternSchema } from '@phaseline/checks';
import { localPathSchema, submitBudgetsSchema, isDocumentName } from '@phaseline/contracts';
import { jsonObjectSchema } from '@phaseline/basics';
import { z } from 'zod';

const count = z.int().min(0);
const text = z.string().min(1);

/** A call of a tool: its name with its arguments, `write_file: { path: a.md, content: A }`. */
const scriptedCallSchema = z
  .record(text, jsonObjectSchema.nullable())
  .refine(
    (call) => Object.keys(call).length === 1,
    'expected one tool with its arguments, such as: read_file: { path: notes.md }',
  );

const usageSchema = z.strictObject({
  input: count.describe('Input tokens; 100 by default').default(100),
  output: count.describe('Output tokens; 10 by default').default(10),
});

/** An answer of the scripted model. */
const scriptedAnswerSchema = z
  .strictObject({
    when: text.describe('Text that the prompt must contain for this answer').optional(),
    text: z.string().describe('What the model says').optional(),
    calls: z.array(scriptedCallSchema).min(1).max(200).optional(),
    truncated: z.literal(true).describe('The answer was cut off at its limit').optional(),
    usage: usageSchema.optional(),
    times: z.int().min(1).max(10_000).describe('How often the answer is given; 1 by default').optional(),
  })
  .refine(({ text: said, calls }) => said !== undefined || calls !== undefined, "expected 'text', 'calls' or both");
export type ScriptedAnswer = z.infer<typeof scriptedAnswerSchema>;

/** Answers that `phaseline case add` recorded, in the order in which the model gave them. */
export const recordedAnswersSchema = z.array(scriptedAnswerSchema).max(10_000);

const limitsOfModel = {
  contextTokens: z.int().min(1_000).describe('Tokens per call; 100,000 by default').default(100_000),
  maxOutputTokens: z.int().min(16).describe('Tokens per answer; 1,000 by default').default(1_000),
  usdPerMillion: z.number().min(0).describe('Price of a million tokens; 1 by default').default(1),
};

const modelSchema = z
  .strictObject({
    script: z.array(scriptedAnswerSchema).min(1).max(10_000).optional(),
    recorded: localPathSchema.describe('File beside the case with recorded answers').optional(),
    ...limitsOfModel,
  })
  .refine(
    ({ script, recorded }) => (script === undefined) !== (recorded === undefined),
    "expected exactly one of 'script' and 'recorded'",
  );

/** The result of a call of a tool that does not run in workers. */
const toolResultSchema = z
  .strictObject({
    content: z.string().describe('What the model reads').optional(),
    result: jsonObjectSchema.describe('The structured result').optional(),
    files: z.record(localPathSchema, z.string()).describe('Files that the call writes').optional(),
    failed: z.strictObject({ code: text, message: text }).optional(),
  })
  .refine(
    ({ content, failed }) => (content === undefined) !== (failed === undefined),
    "expected exactly one of 'content' and 'failed'",
  );
export type ScriptedResult = z.infer<typeof toolResultSchema>;

const documentSchema = z
  .strictObject({
    name: z.string().refine(isDocumentName, 'expected a relative name such as spec.pdf'),
    content: z.string().optional(),
    file: localPathSchema.describe('File beside the case').optional(),
  })
  .refine(
    ({ content, file }) => (content === undefined) !== (file === undefined),
    "expected exactly one of 'content' and 'file'",
  );

/** Number of times: exactly this, or between bounds. */
const timesSchema = z.union([count, z.strictObject({ min: count, max: count }).partial()]);
export type Times = z.infer<typeof timesSchema>;

export const caseOutcomes = ['completed', 'failed', 'blocked', 'aborted', 'cancelled', 'open'] as const;

/** How a call ended. `denied`: by a check of the system or a guard. `refused`: by a person. `open`: it has not ended. */
export const callOutcomes = ['completed', 'failed', 'denied', 'refused', 'open'] as const;

const callExpectationSchema = z.strictObject({
  tool: text,
  args: matchersSchema.optional(),
  outcome: z.enum(callOutcomes).optional(),
  code: text.describe('Code of the denial or failure').optional(),
  message: patternSchema.describe('RE2 pattern that occurs in what the model reads as the result').optional(),
  phase: z.int().min(1).optional(),
  times: timesSchema.optional(),
});
export type CallExpectation = z.infer<typeof callExpectationSchema>;

const expectationsSchema = z
  .strictObject({
    job: z
      .union([z.enum(caseOutcomes), z.strictObject({ ended: z.enum(caseOutcomes), code: text.optional() })])
      .describe('How the job ended; open: it waits, or the model has no further answer')
      .optional(),
    checks: checksSchema.describe('Checks of the files and calls at the end').optional(),
    calls: z.array(callExpectationSchema).max(200).optional(),
    todos: z
      .strictObject({
        done: count.optional(),
        open: count.optional(),
        blocked: count.optional(),
        contents: z.array(text).describe('Texts, each of which a todo contains').optional(),
        phase: z.int().min(1).describe('Only the todos of this phase').optional(),
      })
      .optional(),
    rejections: z
      .array(
        z.strictObject({ gate: text.optional(), message: patternSchema.optional(), times: timesSchema.optional() }),
      )
      .describe('Ends of phases that gates rejected')
      .optional(),
    prompts: z
      .array(z.strictObject({ contains: text, times: timesSchema.optional() }))
      .describe('Model calls whose prompt contains a text')
      .optional(),
    caps: z
      .strictObject({
        phases: count.optional(),
        steps: count.optional(),
        tokens: count.optional(),
        costUsd: z.number().min(0).optional(),
      })
      .describe('What the job used at most')
      .optional(),
  })
  .refine((given) => Object.keys(given).length > 0, 'expected at least one expectation, such as: job: completed');
export type Expectations = z.infer<typeof expectationsSchema>;

/** `case.yaml`: a job, the answers of its model, and what must be true of it. */
export const caseSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/, 'expected lower-case letters, digits and dashes'),
  description: z.string().optional(),
  agent: text.describe('Name of the agent; the one whose folder contains the case by default').optional(),
  task: z.string().describe('Instructions of the job').optional(),
  documents: z.array(documentSchema).max(50).optional(),
  parameters: jsonObjectSchema.optional(),
  budgets: submitBudgetsSchema.optional(),
  model: modelSchema,
  tools: z
    .record(text, z.array(toolResultSchema).min(1).max(1_000))
    .describe('Results of tools that do not run in workers, in order')
    .optional(),
  expect: expectationsSchema,
  recordedFrom: z
    .strictObject({ job: text, position: count, agentHash: text })
    .describe('The job that the case was recorded from')
    .optional(),
});
export type CaseDefinition = z.infer<typeof caseSchema>;

/** Parses what a case must fulfil. Throws a ZodError. */
export function parseExpectations(value: unknown): Expectations {
  return expectationsSchema.parse(value);
}
