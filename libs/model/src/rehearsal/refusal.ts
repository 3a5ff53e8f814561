import type { JsonObject } from '@phaseline/domain';
import { RehearsalFailure } from './rehearsal-policy.js';

/** A request that is not answered, in the protocol's words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** The protocol's machine-readable `code`. */
    readonly code: string | null = null,
    readonly type: string = 'invalid_request_error',
  ) {
    super(message);
  }
}

/** Any error as a refusal: those of a policy are the server's fault, unless it refuses on purpose. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RehearsalFailure) return new Refusal(400, message, error.code);
  return new Refusal(500, `the rehearsal policy failed: ${message}`, null, 'server_error');
}

export function refusalBody({ message, type, code }: Refusal): JsonObject {
  return { error: { message, type, param: null, code } };
}
