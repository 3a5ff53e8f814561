import { PhaselineClientError, RequestRefused } from '@phaseline/client';
import type { FieldErrors } from './submit-draft.js';

/** Fields by the beginning of the path that a refusal names. The first match counts. */
const fieldsByPath: readonly (readonly [path: RegExp, field: string])[] = [
  [/^budgets\.maxCostUsd/, 'maxCostUsd'],
  [/^budgets\.maxTokens/, 'maxTokens'],
  [/^budgets\.maxPhases/, 'maxPhases'],
  [/^budgets\.maxWallTimeMs/, 'maxMinutes'],
  [/^(?:documents|files)\b/, 'documents'],
  [/^idempotency-key\b/i, 'idempotencyKey'],
  [/^(agent|tenant|instructions|labels|priority|encrypt|idempotencyKey)\b/, '$1'],
];

/** Fields of refusals that name no path. */
const fieldsByCode: Readonly<Record<string, string>> = {
  unknown_agent: 'agent',
  idempotency_conflict: 'idempotencyKey',
  document_too_large: 'documents',
  document_unusable: 'documents',
  unsupported_media_type: 'documents',
  encryption_unavailable: 'encrypt',
  forbidden: 'tenant',
};

/** Places a refusal at the fields that it concerns. `rest` is what belongs to no field. */
export function placeRefusals(error: unknown): { readonly fields: FieldErrors; readonly rest?: string } {
  if (!(error instanceof PhaselineClientError))
    return { fields: {}, rest: error instanceof Error ? error.message : String(error) };
  const errors = error instanceof RequestRefused ? error.errors : [];
  const field = fieldsByCode[error.code];
  if (errors.length === 0)
    return field === undefined ? { fields: {}, rest: error.message } : { fields: { [field]: error.message } };
  const fields: Record<string, string> = {};
  const rest: string[] = [];
  for (const { path, message } of errors) {
    const name = findField(path);
    const text = name === undefined || path === name ? message : `${path}: ${message}`;
    if (name === undefined) rest.push(path === '' ? text : `${path}: ${text}`);
    else fields[name] = fields[name] === undefined ? text : `${fields[name]} ${text}`;
  }
  return { fields, ...(rest.length === 0 ? {} : { rest: rest.join(' ') }) };
}

function findField(path: string): string | undefined {
  if (path.startsWith('parameters.')) return path.split('.').slice(0, 2).join('.');
  const [pattern, field] = fieldsByPath.find(([one]) => one.test(path)) ?? [];
  return pattern && (field === '$1' ? pattern.exec(path)?.[1] : field);
}
