import type { JsonObject } from '@phaseline/basics';
import { RehearsalFailure } from './rehearsal-policy.js';

/** An error response in the format of the protocol. */
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

/** Converts any error into a refusal. An error of a policy becomes a server error, unless it is a `RehearsalFailure`. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RehearsalFailure) return new Refusal(400, message, error.code);
  return new Refusal(500, `the rehearsal policy failed: ${message}`, null, 'server_error');
}

export function toRefusalBody({ message, type, code }: Refusal): JsonObject {
  return { error: { message, type, param: null, code } };
}
