import type { JsonObject } from '@phaseline/basics';
import type { Queryable } from '@phaseline/event-store';

/** Newest accepted calls with which a predicate is compared. */
const MAX_CALLS = 20_000;

/** Reads the arguments of the calls of a tool that an agent made and that completed, in completed jobs of a tenant. */
export async function readAcceptedCalls(
  database: Queryable,
  { tenant, agent, tool }: { readonly tenant: string; readonly agent: string; readonly tool: string },
): Promise<readonly JsonObject[]> {
  const { rows } = await database.query<{ arguments: JsonObject }>(
    `SELECT e.data -> 'arguments' AS arguments
     FROM phaseline.jobs AS j
     JOIN phaseline.events AS e ON e.correlation_id = j.job_id::text AND e.type IN ('ToolCallRequested', 'ApprovalRequested')
     JOIN phaseline.events AS start ON start.stream_id = e.stream_id AND start.version = 1
     WHERE j.tenant = $1 AND j.status = 'completed' AND e.data ->> 'name' = $3
       AND start.data #>> '{identity,agent,name}' = $2 AND json_typeof(e.data -> 'arguments') = 'object'
       AND EXISTS (
         SELECT FROM phaseline.events AS ended
         WHERE ended.stream_id = e.stream_id AND ended.version > e.version AND ended.type = 'ToolCallCompleted'
           AND ended.data ->> 'callId' = e.data ->> 'callId')
       -- A person replaced the arguments.
       AND NOT EXISTS (
         SELECT FROM phaseline.events AS amended
         WHERE amended.stream_id = e.stream_id AND amended.version > e.version AND amended.type = 'ToolCallAmended'
           AND amended.data ->> 'callId' = e.data ->> 'callId')
     ORDER BY e.position DESC LIMIT ${MAX_CALLS}`,
    [tenant, agent, tool],
  );
  return rows.map(({ arguments: args }) => args);
}
