import { toCanonicalJson, type JsonValue } from '@phaseline/basics';
import { toSnakeCase } from '@phaseline/planning';
import { encodeText } from '@phaseline/workspace';
import type { ComputedAnswer } from './remember-call.js';

/** Builds the answer of a tool that computes: for the model, and what checks and the trace read. */
export function buildAnswer(
  answer: { readonly confidence: number; readonly explanations: readonly string[]; readonly data: object },
  files: ComputedAnswer['files'],
): ComputedAnswer {
  const result = { ok: true, confidence: answer.confidence, explanations: [...answer.explanations] };
  const data = toSnakeCase(JSON.parse(JSON.stringify(answer.data)) as JsonValue);
  return { answer: { ...result, data }, result, files };
}

/** Writes a value as a file in canonical JSON. */
export function writeJson(path: string, value: object): ComputedAnswer['files'][number] {
  return { path, content: encodeText(toCanonicalJson(value)) };
}
