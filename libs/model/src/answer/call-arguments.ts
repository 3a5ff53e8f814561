import type { CallArguments, JsonObject } from '@phaseline/domain';
import { asObject } from '../wire/loose-json.js';
import { wellFormed, wellFormedJson } from '../wire/well-formed.js';
import type { PartialCall } from './fold-calls.js';

/**
 * Arguments as a tool may take them: a JSON object, complete. Nothing at all, `null` and blanks are a call without
 * arguments; everything else is `malformed`, with the text as it came and what is wrong with it.
 */
export function parseArguments({ text, value }: Pick<PartialCall, 'text' | 'value'>): CallArguments {
  const asValue = value !== undefined && value !== null;
  if (!asValue && text.trim() === '') return { kind: 'parsed', value: {} };
  try {
    const parsed = wellFormedJson(asValue ? value : JSON.parse(text));
    if (parsed === null) return { kind: 'parsed', value: {} };
    const object = asObject(parsed);
    return object ? { kind: 'parsed', value: object as JsonObject } : malformed('not a JSON object', text, value);
  } catch (error) {
    return malformed(error instanceof Error ? error.message : String(error), text, value);
  }
}

/** Arguments of an answer that did not come to its proper end: not to be run, even where they happen to parse. */
export function unfinishedArguments(call: Pick<PartialCall, 'text' | 'value'>): CallArguments {
  return malformed('the answer ended before it was complete', call.text, call.value);
}

function malformed(problem: string, text: string, value: unknown): CallArguments {
  const shown = value === undefined || value === null ? text : (JSON.stringify(value) ?? '');
  return { kind: 'malformed', text: wellFormed(shown), problem: wellFormed(problem) };
}
