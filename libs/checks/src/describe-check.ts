import { assertNever, clip, toSingleLine } from '@phaseline/basics';
import type { Check, FileCheck } from './check.js';
import type { CheckInput } from './check-input.js';
import { describeCall } from './evaluate-call-check.js';
import { describeRead } from './evaluate-read-check.js';
import { describeProof, describeRun } from './evaluate-check.js';

/** Maximum number of lines of a description, and of characters per line: checks can be long, and the text is part of a prompt. */
const MAX_LINES = 12;
const MAX_CHARACTERS = 300;

/**
 * Describes what checks demand, one line per demand, before anything is evaluated. The text names the files that exist now, such as the
 * newest archive, and is the same until the files of the beginning of the phase change.
 */
export function describeChecks(
  checks: readonly Check[],
  input: Pick<CheckInput, 'tree' | 'hashAt'>,
): readonly string[] {
  const lines = checks
    .flatMap((check) => describeCheck(check, input))
    .map((line) => clip(toSingleLine(line), MAX_CHARACTERS));
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 1), `and ${lines.length - MAX_LINES + 1} more`];
}

function describeCheck(check: Check, input: Pick<CheckInput, 'tree' | 'hashAt'>): readonly string[] {
  if ('file' in check) return [describeFile(check.file)];
  if ('call' in check) return [describeCall(check.call)];
  if ('read' in check) return describeRead(check.read, input);
  if ('verifier' in check) return [describeRun('verifier', check.verifier)];
  if ('proof' in check) return [describeProof(check.proof)];
  if ('judge' in check) return [describeRun('judge', check.judge)];
  if ('all' in check) return check.all.flatMap((inner) => describeCheck(inner, input));
  const joined = (inner: Check): string => describeCheck(inner, input).join(' and ');
  if ('any' in check) return [`one of these: ${check.any.map(joined).join('; or ')}`];
  if ('not' in check) return [`not: ${joined(check.not)}`];
  return assertNever(check);
}

function describeFile(file: FileCheck): string {
  if (file.exists === false) return `no file ${file.path}`;
  const { changedSince, minBytes, minLines, maxLines, minItems, pointer, matches = [], jsonSchema, citations } = file;
  const at = pointer === undefined || pointer === '' ? '' : ` at ${pointer}`;
  const demands = [
    ...(changedSince === undefined ? [] : [`changed since the ${changedSince} began`]),
    ...(minBytes === undefined ? [] : [`at least ${minBytes} bytes without repeated white space`]),
    ...(minLines === undefined ? [] : [`at least ${minLines} lines that are not blank`]),
    ...(maxLines === undefined ? [] : [`at most ${maxLines} lines`]),
    ...(minItems === undefined ? [] : [`a list of at least ${minItems} items${at}`]),
    ...[matches].flat().map((pattern) => `text that matches ${pattern}`),
    ...(jsonSchema === undefined ? [] : [`JSON${at} that fulfils ${jsonSchema}`]),
    ...(citations === undefined
      ? []
      : [`quotations at ${citations.at} that occur word by word in ${citations.in.join(' or ')}`]),
  ];
  return demands.length === 0 ? `a file ${file.path}` : `${file.path}: ${demands.join(', ')}`;
}
