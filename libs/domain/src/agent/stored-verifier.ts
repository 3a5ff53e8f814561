import { jsonObjectSchema } from '@phaseline/basics';
import type { SubmittedVerifiers, VerifierDefinition } from '@phaseline/contracts';
import type { z } from 'zod';

/** Folder of the verifiers of an agent, beside its definition. */
export const VERIFIERS_DIRECTORY = 'verifiers';

/**
 * A verifier in an event. It was validated when it was recorded; the event accepts any members, so that a definition of today can be read by
 * a release that knows more of them.
 */
export const storedVerifierSchema = jsonObjectSchema as unknown as z.ZodType<VerifierDefinition>;
/** The verifiers of a submission in an event. */
export const storedSubmittedVerifiersSchema = jsonObjectSchema as unknown as z.ZodType<SubmittedVerifiers>;
