import type { JsonValue } from '@phaseline/basics';
import { z } from 'zod';
import type { LearningReason } from '@phaseline/contracts';

/** What verifiers report when a response or a query returned nothing (libs/verification/src/run/shipped-programs.ts). */
const EMPTY = /\bempty body\b|\bno rows?\b/i;

/** The reason of a failed verifier, from what it reported. */
export function chooseVerifierReason(reported: string): LearningReason {
  return EMPTY.test(reported) ? 'empty_data' : 'verifier_failed';
}

/** Whether the result of a call is that of a verifier which failed or could not run. */
export function isFailedVerifier(
  result: JsonValue | undefined,
): result is { readonly outcome: string; readonly reason: string } {
  return failedVerifierSchema.safeParse(result).success;
}

const failedVerifierSchema = z.object({ outcome: z.enum(['failed', 'error']), reason: z.string() });

/** The reason of a refused claim, from the first check that failed. */
export function chooseClaimReason(
  failures: readonly { readonly check: object; readonly found: string }[],
): LearningReason {
  const [failure] = failures;
  if (!failure) return 'other';
  if ('verifier' in failure.check) return chooseVerifierReason(failure.found);
  if ('judge' in failure.check) return 'judge_objected';
  return 'guard' in failure.check ? 'guard_denied' : 'check_failed';
}
