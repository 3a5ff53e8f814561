import { InvalidRequest } from '@phaseline/client';

/**
 * Returns why the server refused single values of a request, by path, such as `maxRunningPhases`. Empty for any other error: it concerns
 * the request as a whole.
 */
export function listFieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof InvalidRequest)) return {};
  return Object.fromEntries(error.errors.map(({ path, message }) => [path, message]));
}

/** Whether every value that the server refused has a field, so that the error is shown there and needs no notice. */
export function isShownAtFields(error: unknown, paths: readonly string[]): boolean {
  const refused = Object.keys(listFieldErrors(error));
  return refused.length > 0 && refused.every((path) => paths.includes(path));
}
