import { verifierQuerySchema, verifierRequestSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { systemTools } from '@phaseline/domain';
import { declarePack } from './declare-pack.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

/** The cases that prove a feature, of one kind, and the phase with whose files they are compared. */
const proofArgumentsSchema = z
  .strictObject({
    began: z.int().min(1),
    tests: z.array(z.string()).min(1).exactOptional(),
    requests: z.array(verifierRequestSchema).min(1).exactOptional(),
    queries: z.array(verifierQuerySchema).min(1).exactOptional(),
  })
  .refine(
    ({ tests, requests, queries }) => [tests, requests, queries].filter((cases) => cases !== undefined).length === 1,
    { error: "expected one of 'tests', 'requests' and 'queries'" },
  );

const caseOutcome = z.enum(['passed', 'failed', 'skipped', 'absent']);

/** Whether the cases of a feature prove it: how each ended now, on the files of the beginning, and with the tests of now on these. */
const proofResultSchema = z.strictObject({
  proved: z.boolean(),
  reason: z.string().max(500),
  cases: z.array(
    z.strictObject({ name: z.string(), now: caseOutcome, before: caseOutcome, mixed: caseOutcome.exactOptional() }),
  ),
  /** The tests that the feature does not name: how many passed before, how many fail now, and the names of those that are worse. */
  others: z.strictObject({ passedBefore: count, failed: count, worse: z.array(z.string()) }).exactOptional(),
  baseline: z.strictObject({ outcome: z.enum(['passed', 'failed', 'error']), reason: z.string().max(500) }),
});

/** How a verifier ended. The output is stored, and no model sees it. */
const verifierResultSchema = z.strictObject({
  outcome: z.enum(['passed', 'failed', 'error']),
  /** What the model is told, in at most 500 characters. */
  reason: z.string().max(500),
  /** SHA-256 of the definition of the verifier. */
  definition: hash,
  tests: z.strictObject({ ran: count, passed: count, failed: count, skipped: count }).exactOptional(),
  coverage: z.strictObject({ coveredLines: count, totalLines: count }).exactOptional(),
  /** Inputs of the verifier that were put back as they were when the job began, because the agent had changed or deleted them. */
  changedInputs: z.array(z.string()).max(100),
  /** Set if the run was asked for a proof. */
  proof: proofResultSchema.exactOptional(),
  /** What the command printed and reported, by its content. */
  output: z.strictObject({ hash, size: count }).exactOptional(),
});

/** Tools that only the system calls, for claims. They belong to no agent. */
export const checksSpec = declarePack('checks', {
  [systemTools.verifier]: {
    lane: 'remote',
    description: 'Runs a verifier of the agent on a fresh checkout of the files.',
    input: z.strictObject({ name: z.string(), proof: proofArgumentsSchema.exactOptional() }),
    result: verifierResultSchema,
    effect: 'idempotent',
    timeoutMs: 900_000,
    traits: ['system', 'not_nestable'],
  },
});
