import { callIdSchema, jobIdSchema, streamIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { queryInteger, queryPosition } from '../http/query-values.js';

/** Number of claims per page. */
const MAX_CLAIMS_PER_PAGE = 500;

/** Query of `GET /v1/jobs/:jobId/claims`. */
export const claimsQuerySchema = z
  .strictObject({
    /** Position in the log after which claims are listed: `nextAfter` of the page before. */
    after: queryPosition().optional(),
    limit: queryInteger({ min: 1, max: MAX_CLAIMS_PER_PAGE }).default(100),
  })
  .meta({ id: 'ClaimsQuery' });
export type ClaimsQuery = z.infer<typeof claimsQuerySchema>;

/** A check as it was written. */
const jsonCheck = z.record(z.string(), z.unknown());

const claimSubjectSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('todo'), todoId: z.int() }),
    z.object({ kind: z.literal('phase'), outcome: z.string() }),
    z.object({ kind: z.literal('job') }),
  ])
  .meta({ id: 'ClaimSubject' });

/** What an agent said is done, and what became of it. */
const claimSchema = z
  .object({
    subject: claimSubjectSchema,
    /** `open`: its runs have not ended. `dropped`: it was not decided, because a file or a message came before, or the phase ended. */
    outcome: z.enum(['open', 'accepted', 'refused', 'dropped']),
    /** Number of the phase; absent for the completion of the job. */
    phase: z.int().min(1).optional(),
    /** The call that made the claim. */
    callId: callIdSchema.optional(),
    /** Verifiers, guards and judges that were asked. */
    runs: z.array(z.object({ kind: z.string(), name: z.string() })),
    /** Each check that held, with what it read. Events are named by stream and version, files by path and content. */
    evidence: z.array(
      z.object({
        check: jsonCheck,
        events: z.array(z.object({ streamId: streamIdSchema, version: z.int().min(1) })),
        files: z.array(z.object({ path: z.string(), hash: z.string() })),
      }),
    ),
    failures: z.array(z.object({ check: jsonCheck, expected: z.string(), found: z.string() })),
    /** What the model was told, if the claim was refused. */
    message: z.string().optional(),
    /** When a claim that needs runs was first raised. */
    raisedAt: z.string().optional(),
    /** The event of the decision; of the claim while it is open. */
    event: z.object({
      streamId: streamIdSchema,
      version: z.int().min(1),
      position: z.int().min(1),
      recordedAt: z.string(),
    }),
  })
  .meta({ id: 'Claim' });
export type Claim = z.infer<typeof claimSchema>;

export const claimPageSchema = z
  .object({
    jobId: jobIdSchema,
    items: z.array(claimSchema),
    /** Pass it as `after` to read the next page; absent on the last one. */
    nextAfter: z.int().optional(),
  })
  .meta({ id: 'ClaimPage' });
export type ClaimPage = z.infer<typeof claimPageSchema>;
