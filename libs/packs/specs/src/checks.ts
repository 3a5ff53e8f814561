import { z } from 'zod';
import { systemTools } from '@phaseline/domain';
import { declarePack } from './declare-pack.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().min(0);

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
  /** What the command printed and reported, by its content. */
  output: z.strictObject({ hash, size: count }).exactOptional(),
});

/** Tools that only the system calls, for claims. They belong to no agent. */
export const checksSpec = declarePack('checks', {
  [systemTools.verifier]: {
    lane: 'remote',
    description: 'Runs a verifier of the agent on a fresh checkout of the files.',
    input: z.strictObject({ name: z.string() }),
    result: verifierResultSchema,
    effect: 'idempotent',
    timeoutMs: 900_000,
    traits: ['system', 'not_nestable'],
  },
});
