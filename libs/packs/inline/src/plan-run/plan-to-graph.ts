import type { JsonObject } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import { type CallState, DELEGATE, DELEGATED_DIRECTORY, listNestedCalls } from '@phaseline/domain';
import type { planRunSpec } from '@phaseline/pack-specs';
import { hashPlan, listPlanRecords, planPaths } from '@phaseline/planning';
import type { InlineToolContext, ToolRun } from '@phaseline/tools';
import { toCanonicalJson } from '@phaseline/basics';
import { encodeText, hashText } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';
import { readApprovedPlan } from './run-work.js';

const PLANNER = 'planner';
/** The planner asks its person, who may need days. */
const PLANNER_TIMEOUT = '30d';
const UPDATE = 'execute_cypher_update';
/** Where the id of the planning job is kept for the state that stores the plan. */
const PLANNED = 'plan/planned.json';
/** Records in one statement, whose parameters are at most 100,000 characters long. */
const BATCH = 100;

/** Has the planner make a plan for the goal of this job. Its status decides how the job continues. */
export const delegatePlan: ToolRun<typeof planRunSpec, 'delegate_plan'> = async (context) => {
  const [call] = listNestedCalls(context.state, context.callId);
  if (!call) {
    const text = await readTextIfExists(context.workspace, 'parameters.json');
    const parameters = JSON.parse(text ?? '{}') as JsonObject;
    const task = { agent: PLANNER, task: 'Make a plan for the goal.', parameters, timeout: PLANNER_TIMEOUT };
    return { content: '', nestedCalls: [{ name: DELEGATE, arguments: task }] };
  }
  if (call.status !== 'completed') return { content: readResult(call), result: { outcome: 'aborted' } };
  const plan = await readApprovedPlan(context, `${DELEGATED_DIRECTORY}/${call.callId}/plan.json`);
  const planned = { planId: call.child?.end?.childJobId ?? '' };
  const files = [
    { path: planPaths.carriedOut, content: encodeText(toCanonicalJson(plan)) },
    { path: PLANNED, content: encodeText(toCanonicalJson(planned)) },
  ];
  return { content: '', result: { outcome: 'complete' }, files };
};

/**
 * Stores the plan in the graph: first its nodes, then the relationships between them, because calls of one answer run concurrently. The
 * statements say what shall exist, so that each may run again.
 */
export const storePlan: ToolRun<typeof planRunSpec, 'store_plan_in_graph'> = async (context) => {
  const calls = listNestedCalls(context.state, context.callId);
  const failed = calls.find(({ status }) => status !== 'completed');
  if (failed) throw new ToolError('graph_failed', `The plan was not stored in the graph: ${readResult(failed)}`);
  const { nodes, relationships } = await buildStatements(context);
  if (calls.length === 0) return { content: '', nestedCalls: nodes };
  if (calls.length < nodes.length + relationships.length) return { content: '', nestedCalls: relationships };
  return { content: '', result: { outcome: 'stored' } };
};

async function buildStatements(context: InlineToolContext) {
  const plan = await readApprovedPlan(context, planPaths.carriedOut);
  const planned = await readTextIfExists(context.workspace, PLANNED);
  const { planId } = JSON.parse(planned ?? '{}') as { readonly planId?: string };
  if (!planId) throw new ToolError('prerequisite_missing', 'Not executed: no plan was made for this job.');
  const { goal, milestones, tasks, dependencies } = listPlanRecords(plan, planId, hashPlan(plan, hashText));
  const nodes = [
    toCall(
      'MERGE (g:Goal {id: $goal.id}) SET g.goal = $goal.goal, g.user = $goal.user, g.pattern = $goal.pattern, g.contentHash = $goal.contentHash',
      { goal },
    ),
    ...batch(milestones, 'UNWIND $records AS r MERGE (m:Milestone {id: r.id}) SET m.title = r.title'),
    ...batch(
      tasks,
      'UNWIND $records AS r MERGE (t:Task {id: r.id}) SET t.title = r.title, t.start = r.start, t.end = r.end, t.agent = r.agent',
    ),
  ];
  const relationships = [
    // Any node of the plan can contain another one.
    ...['Milestone', 'Task'].flatMap((label) =>
      ['Goal', 'Milestone', 'Task'].flatMap((parent) =>
        batch(
          label === 'Task' ? tasks : milestones,
          `UNWIND $records AS r MATCH (n:${label} {id: r.id}), (p:${parent} {id: r.parent}) MERGE (n)-[:PART_OF]->(p)`,
        ),
      ),
    ),
    ...['Milestone', 'Task'].flatMap((from) =>
      ['Milestone', 'Task'].flatMap((to) =>
        batch(
          dependencies,
          `UNWIND $records AS r MATCH (a:${from} {id: r.from}), (b:${to} {id: r.to}) MERGE (b)-[d:DEPENDS_ON]->(a) SET d.kind = r.kind`,
        ),
      ),
    ),
  ];
  return { nodes, relationships };
}

function batch(records: readonly object[], query: string) {
  const count = Math.ceil(records.length / BATCH);
  return Array.from({ length: count }, (_, index) =>
    toCall(query, { records: records.slice(index * BATCH, (index + 1) * BATCH) }),
  );
}

function toCall(query: string, parameters: object) {
  return { name: UPDATE, arguments: { query, parameters: parameters as JsonObject, limit: 1 } };
}

function readResult(call: CallState): string {
  return ('result' in call && call.result) || call.status;
}
