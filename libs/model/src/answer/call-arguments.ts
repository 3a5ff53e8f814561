import type { CallArguments } from '@phaseline/contracts';
import { toWellFormedText, type JsonObject } from '@phaseline/basics';
import { asObject } from '../wire/loose-json.js';
import { toStorableJson } from '../wire/storable-json.js';
import type { PartialCall } from './fold-calls.js';

/**
 * Parses the arguments of a call into a complete JSON object. An empty text, blanks and `null` mean no arguments.
 * Anything else is `malformed`, with the text as received and the problem.
 */
export function parseArguments({ text, value }: Pick<PartialCall, 'text' | 'value'>): CallArguments {
  const isValue = value !== undefined && value !== null;
  if (!isValue && text.trim() === '') return { kind: 'parsed', value: {} };
  try {
    const parsed = toStorableJson(isValue ? value : JSON.parse(text));
    if (parsed === null) return { kind: 'parsed', value: {} };
    const object = asObject(parsed);
    return object ? { kind: 'parsed', value: object as JsonObject } : toMalformed('not a JSON object', text, value);
  } catch (error) {
    return toMalformed(error instanceof Error ? error.message : String(error), text, value);
  }
}

/** Marks the arguments of an unfinished answer as malformed: they must not run, even if they happen to parse. */
export function toUnfinishedArguments(call: Pick<PartialCall, 'text' | 'value'>): CallArguments {
  return toMalformed('the answer ended before it was complete', call.text, call.value);
}

function toMalformed(problem: string, text: string, value: unknown): CallArguments {
  const shown = value === undefined || value === null ? text : (JSON.stringify(value) ?? '');
  return { kind: 'malformed', text: toWellFormedText(shown), problem: toWellFormedText(problem) };
}
