import { ASK_PERSON, listToolGroups, type Workflow } from '@phaseline/domain';
import type { DefinitionProblem } from '../definition-errors.js';
import type { LoadedAgent } from './load-agent.js';

/** Name of the tool that takes requirements from the cache. */
const CLAIM_REQUIREMENTS = 'claim_requirements_from_cache';

/** Returns warnings about a definition that is valid but probably not intended. The workflow is that of the agent, if it could be read. */
export function findWarnings({ definition, file }: LoadedAgent, workflow?: Workflow): readonly DefinitionProblem[] {
  const { limits, todos, tools, budgets, deliverables, approvals } = definition;
  const warnings: string[] = [];
  const all = [...tools.workspace, ...tools.strategic, ...tools.tactical, ...tools.domain];
  if (limits.steps < todos.max)
    warnings.push(
      `limits.steps: ${limits.steps} model calls are fewer than the ${todos.max} todos a phase may have (todos.max)`,
    );
  const states = workflow && Object.values(workflow.states);
  // Other workflows name all todos of their states, or end the job by themselves.
  const takesPlans = states?.some(({ todos: planned }) => planned === 'from-file') ?? true;
  const takesCompletions = states?.some(({ completion }) => completion !== undefined) ?? true;
  if (takesPlans && !tools.strategic.includes('todo_write'))
    warnings.push("tools.strategic: without 'todo_write' no phase can be planned");
  if (takesCompletions && !tools.strategic.includes('job_complete'))
    warnings.push("tools.strategic: without 'job_complete' only the workflow can end a job");
  const hasTodos = states?.some(({ todos: planned }) => planned !== undefined) ?? true;
  if (hasTodos && !all.includes('todo_complete') && !all.includes('complete_todo'))
    warnings.push("tools: without 'todo_complete' no todo can be completed");
  for (const [group, names] of listToolGroups(definition)) {
    const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
    if (duplicates.length > 0) warnings.push(`tools.${group}: listed twice: ${[...new Set(duplicates)].join(', ')}`);
  }
  if (
    deliverables.length > 0 &&
    !definition.settings?.mcp &&
    !tools.workspace.some((name) => /write|append/.test(name))
  )
    warnings.push('deliverables: no tool in tools.workspace writes files; make sure that one in tools.domain does');
  if (budgets.maxPhases !== undefined && budgets.maxPhases < 3)
    warnings.push(`budgets.maxPhases: ${budgets.maxPhases} leaves no room to plan, execute and review`);
  // A controller may request what no model is offered, and a person approves it all the same.
  const hasControllers = states?.some(({ controller }) => controller !== undefined) ?? false;
  const unknown = approvals.tools.filter((name) => !all.includes(name) && !name.startsWith('mcp__') && !hasControllers);
  if (unknown.length > 0) warnings.push(`approvals.tools: ${unknown.join(', ')} is not offered in any phase`);
  if (approvals.tools.includes(ASK_PERSON))
    warnings.push(
      `approvals.tools: ${ASK_PERSON} needs no approval; with one, a person must approve each question before it can be answered`,
    );
  if (definition.startWhen && !all.includes(CLAIM_REQUIREMENTS))
    warnings.push(`startWhen: without '${CLAIM_REQUIREMENTS}' the jobs of the agent cannot take the requirements`);
  return warnings.map((message) => ({ file, message }));
}
