import { jsonObjectSchema } from '@phaseline/basics';
import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';
import { guardDecisions, guardKinds, guardScopes, guardStages, hookPoints } from './guard-vocabulary.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Which version of which guard decided. */
export const guardRefSchema = z.object({
  name: z.string(),
  /** SHA-256 of everything that determines what the guard decides. */
  version: sha256,
  scope: z.enum(guardScopes),
  kind: z.enum(guardKinds),
  stage: z.enum(guardStages),
});
export type GuardRef = z.infer<typeof guardRefSchema>;

/** Permission of a person that the calls of one job pass a guard, until it expires. */
export const guardOverrideSchema = z.object({
  guard: z.string(),
  scope: z.enum(guardScopes),
  actor: z.string(),
  reason: z.string(),
  expiresAt: z.iso.datetime(),
});
export type GuardOverride = z.infer<typeof guardOverrideSchema>;

export const guardOverridden = defineEvent(
  'GuardOverridden',
  1,
  'A person overrode a guard for the rest of the job, until it expires. Its decisions are still recorded.',
  guardOverrideSchema,
);

export const guardDecided = defineEvent(
  'GuardDecided',
  1,
  'A guard decided something other than a plain allow. Only a guard in production that was not overridden has an effect.',
  z.object({
    point: z.enum(hookPoints),
    /** The call that the decision is about; absent at points without a call. */
    callId: callIdSchema.optional(),
    guard: guardRefSchema,
    decision: z.enum(guardDecisions),
    reason: z.string().optional(),
    /** All arguments of the call as the guard wants them, for `amend`; the output that replaces the result, for calls that ended. */
    amended: jsonObjectSchema.optional(),
    /** Text that the model reads in addition. */
    context: z.string().optional(),
    /** Why the guard did not decide by itself. The decision is then what its `onFailure` demands. */
    failure: z.object({ code: z.string(), message: z.string() }).optional(),
    /** Time that the guard took, for guards that are not pure. */
    durationMs: z.int().min(0).optional(),
    /** The override because of which the decision had no effect. */
    override: z.object({ actor: z.string(), reason: z.string(), expiresAt: z.iso.datetime() }).optional(),
  }),
);
