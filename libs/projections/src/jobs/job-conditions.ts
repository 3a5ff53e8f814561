import type { JobConditions } from './job-filter.js';

/** Adds a value to a query and returns its placeholder. */
export type AddParameter = (value: unknown) => string;

/** SQL expression of the class of a cost, as in the generated column `cost_class`. */
export const costClassOf = (cost: string): string => `floor(4 * ln(greatest(${cost}::bigint, 1)::float8))::smallint`;

/** Returns the SQL conditions that an index supports. */
export function listIndexedConditions(conditions: JobConditions, parameter: AddParameter): readonly string[] {
  const { statuses, agents, tenants, labels = [], createdSince, createdBefore, waitsFor, waitingSeconds } = conditions;
  return [
    statuses && `status = ANY (${parameter([...statuses])}::text[])`,
    tenants && `tenant = ANY (${parameter([...tenants])}::text[])`,
    agents && `agent = ANY (${parameter([...agents])}::text[])`,
    ...labels.map((label) => labelCondition(label, parameter)),
    createdSince && `created_at >= ${parameter(createdSince)}::timestamptz`,
    createdBefore && `created_at < ${parameter(createdBefore)}::timestamptz`,
    ...costConditions(conditions, parameter),
    (waitsFor || waitingSeconds !== undefined) && 'waits_for IS NOT NULL',
    waitsFor && `waits_for = ANY (${parameter([...waitsFor])}::text[])`,
    waitingSeconds !== undefined &&
      `waiting_since <= statement_timestamp() - make_interval(secs => ${parameter(waitingSeconds)})`,
  ].filter((condition) => typeof condition === 'string');
}

/** Returns the SQL conditions that have to be checked row by row. */
export function listUnindexedConditions(
  { updatedBefore, text }: JobConditions,
  parameter: AddParameter,
): readonly string[] {
  return [
    ...(updatedBefore === undefined ? [] : [`updated_at < ${parameter(updatedBefore)}::timestamptz`]),
    ...(text === undefined ? [] : [textCondition(parameter(text))]),
  ];
}

function costConditions(
  { minCostMicroUsd: min, maxCostMicroUsd: max }: JobConditions,
  parameter: AddParameter,
): readonly string[] {
  const conditions: string[] = [];
  for (const [operator, limit] of [
    ['>=', min],
    ['<=', max],
  ] as const) {
    if (limit === undefined) continue;
    const value = parameter(limit);
    // The class has the index, and rises with the cost.
    conditions.push(`cost_class ${operator} ${costClassOf(value)}`, `cost_micro_usd ${operator} ${value}::bigint`);
  }
  return conditions;
}

function labelCondition(
  { key, value }: { readonly key: string; readonly value?: string },
  parameter: AddParameter,
): string {
  if (value === undefined) return `labels ? ${parameter(key)}`;
  return `labels @> ${parameter(JSON.stringify({ [key]: value }))}::jsonb`;
}

/** The columns contain placeholders instead of what encrypted jobs encrypt, so a search cannot reveal it. */
function textCondition(text: string): string {
  const contains = (value: string): string => `strpos(lower(${value}), lower(${text}::text)) > 0`;
  return `(starts_with(job_id::text, lower(${text}::text)) OR ${contains('agent')} OR ${contains("coalesce(phase_name, '')")}
    OR ${contains("coalesce(result ->> 'summary', '')")} OR ${contains("coalesce(failure ->> 'message', '')")}
    OR EXISTS (SELECT FROM jsonb_each_text(labels) AS label WHERE ${contains("label.key || '=' || label.value")}))`;
}
