import type * as OpenAiPackage from 'openai';
import type { APIError } from 'openai';

let loaded: typeof OpenAiPackage | undefined;

/** Loads the `openai` package with the first call, because its 236 modules would delay every start. */
export async function loadOpenAi(): Promise<typeof OpenAiPackage> {
  return (loaded ??= await import('openai'));
}

/** Whether a value is an error of the `openai` package: a response that is not a success, or none at all. */
export function isApiError(error: unknown): error is APIError<number | undefined, Headers | undefined> {
  return loaded !== undefined && error instanceof loaded.APIError;
}

/** Whether a value is the error of the `openai` package for a connection that failed. */
export function isConnectionError(error: unknown): error is Error {
  return loaded !== undefined && error instanceof loaded.APIConnectionError;
}

/** Whether a value is the error of the `openai` package for a connection that timed out. */
export function isConnectionTimeout(error: unknown): error is Error {
  return loaded !== undefined && error instanceof loaded.APIConnectionTimeoutError;
}
