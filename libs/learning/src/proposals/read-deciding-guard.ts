import type { JsonObject } from '@phaseline/basics';
import { parseGuard, type Guard } from '@phaseline/domain';
import type { Queryable } from '@phaseline/event-store';
import { normalisePathArguments } from '@phaseline/guards';
import type { PatternGroup } from '../patterns/extract-patterns.js';
import type { Violation } from '../patterns/violation.js';
import type { ProposalSources } from './proposal.js';
import type { DecidingGuard, EvadingCall } from './propose-stricter-guard.js';

/** Newest denials after which calls are examined, and calls that are read. */
const MAX_DENIALS = 100;
const MAX_CALLS = 1_000;

/** Reads the guard of a pattern as the phase of its newest violation received it; undefined if that phase did not record it. */
export async function readDecidingGuard(
  database: Queryable,
  { pattern, violations }: PatternGroup,
  sources: Pick<ProposalSources, 'findStored'>,
): Promise<DecidingGuard | undefined> {
  const { tenant, guard: name } = pattern;
  const guard = name === undefined ? undefined : await readGuard(database, violations.at(-1)!, name);
  if (!guard) return undefined;
  const { scope, version } = guard;
  const place = scope === 'system' ? undefined : tenant;
  return {
    guard,
    stored: scope === 'agent' ? undefined : await sources.findStored(place, guard.name, version),
    ...(pattern.point === 'PreToolUse'
      ? { approved: 0, evading: await readEvadingCalls(database, violations) }
      : { approved: await countApproved(database, tenant, guard), evading: [] }),
  };
}

async function readGuard(database: Queryable, { trace }: Violation, name: string): Promise<Guard | undefined> {
  const { rows } = await database.query<{ guards: readonly JsonObject[] | null }>(
    `SELECT coalesce(start.data #> '{terms,guards}', start.data #> '{changes,terms,guards}') AS guards
     FROM phaseline.events AS e JOIN phaseline.events AS start ON start.stream_id = e.stream_id AND start.version = 1
     WHERE e.event_id = $1`,
    [trace],
  );
  const found = (rows[0]?.guards ?? []).findLast((one) => one['name'] === name && one['stage'] === 'production');
  return found && parseGuard(found);
}

/** Counts the calls of a tenant that a guard asked about and that a person approved. */
async function countApproved(database: Queryable, tenant: string, { name, scope }: Guard): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::integer AS count
     FROM phaseline.jobs AS j
     JOIN phaseline.events AS asked ON asked.correlation_id = j.job_id::text AND asked.type = 'GuardDecided'
     WHERE j.tenant = $1 AND asked.data ->> 'decision' = 'ask' AND asked.data #>> '{guard,name}' = $2 AND asked.data #>> '{guard,scope}' = $3
       AND EXISTS (
         SELECT FROM phaseline.events AS granted
         WHERE granted.stream_id = asked.stream_id AND granted.version > asked.version AND granted.type = 'ApprovalGranted'
           AND granted.data ->> 'callId' = asked.data ->> 'callId')`,
    [tenant, name, scope],
  );
  return rows[0]?.count ?? 0;
}

/** Reads the completed calls of other tools that changed the file of a denied call later in the same phase. */
async function readEvadingCalls(
  database: Queryable,
  violations: readonly Violation[],
): Promise<readonly EvadingCall[]> {
  const denied = new Map(violations.slice(-MAX_DENIALS).map((violation) => [violation.trace as string, violation]));
  const { rows } = await database.query<EvadingCall & { readonly denied: string }>(
    `SELECT denied.event_id AS denied, called.data ->> 'name' AS tool, called.data -> 'arguments' AS arguments
     FROM phaseline.events AS denied
     JOIN phaseline.events AS called ON called.stream_id = denied.stream_id AND called.version > denied.version
       AND called.type = 'ToolCallRequested' AND called.data ->> 'effect' <> 'pure' AND called.data #>> '{arguments,path}' IS NOT NULL
     WHERE denied.event_id = ANY ($1::uuid[])
       AND EXISTS (
         SELECT FROM phaseline.events AS ended
         WHERE ended.stream_id = called.stream_id AND ended.version > called.version AND ended.type = 'ToolCallCompleted'
           AND ended.data ->> 'callId' = called.data ->> 'callId')
     ORDER BY called.position DESC LIMIT ${MAX_CALLS}`,
    [[...denied.keys()]],
  );
  return rows.filter((row) => {
    const call = denied.get(row.denied)?.call;
    return call !== undefined && call.tool !== row.tool && readPath(call.arguments) === readPath(row.arguments);
  });
}

function readPath(args: JsonObject): unknown {
  return normalisePathArguments(args)['path'];
}
