import type { LastAttempt } from './last-attempt.js';

/** A name that can be an ordinary word, such as `find` or `tests`. In a sentence it names a call or a test only if it is quoted. */
const ORDINARY_WORD = /^\p{L}+$/u;
const QUOTES = '[`\'"“”‘’«»]';

/**
 * Says why a reflection is refused; `undefined` if it names a call, a file or a test of the attempt. Advice that names nothing, such as to be
 * more careful, fits every failure and helps with none.
 */
export function findReflectionProblem(attempt: LastAttempt, text: string): string | undefined {
  const names = [
    ...attempt.calls.map(({ name }) => name),
    ...attempt.files.flatMap((path) => [path, getFileName(path)]),
    ...attempt.tests,
  ];
  if (names.some((name) => isNamed(name, text))) return undefined;
  return 'it names no call, file or test of the attempt';
}

function getFileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isNamed(name: string, text: string): boolean {
  if (name === '') return false;
  const literal = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (ORDINARY_WORD.test(name))
    return new RegExp(`${QUOTES}${literal}(?:\\(|${QUOTES})|\\b${literal}\\(`, 'u').test(text);
  return new RegExp(`(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])`, 'iu').test(text);
}
