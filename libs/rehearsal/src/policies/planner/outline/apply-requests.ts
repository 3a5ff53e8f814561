import { clip } from '@phaseline/basics';
import type { PlanNode } from '../session.js';
import { capitalise, type Draft } from './draft.js';

const MAX_TITLE_CHARACTERS = 150;
const ADDED_MINUTES = 30;

/** Adds the tasks that the person asked for, leaves out those that the person does not want, as far as phases keep a task, and assigns agents. */
export function applyRequests(
  nodes: readonly PlanNode[],
  { changes, goal }: Pick<Draft, 'changes' | 'goal'>,
): readonly PlanNode[] {
  const added = changes.added.reduce<readonly PlanNode[]>(addTask, nodes);
  const kept = changes.dropped.reduce<readonly PlanNode[]>(dropTasks, added);
  return goal.agents.reduce<readonly PlanNode[]>(assignAgent, kept);
}

/** Adds a task beside the last one that is done once, or else beside the last one of any kind. */
function addTask(nodes: readonly PlanNode[], title: string): readonly PlanNode[] {
  const tasks = nodes.filter(({ level }) => level === 'L3');
  const beside = tasks.findLast(({ time }) => time === 'once') ?? tasks.at(-1);
  if (beside === undefined) return nodes;
  const { level, time, parent, recurrence } = beside;
  // A routine has tasks only with actions, so that what is added there is an action.
  const hasActions = nodes.some((node) => node.parent === beside.id);
  const number = nodes.filter(({ id }) => id.startsWith('x')).length + 1;
  const node: PlanNode = {
    ...{ id: `x${number}`, parent: hasActions ? beside.id : parent, level: hasActions ? 'L4' : level, time },
    title: clip(capitalise(title), MAX_TITLE_CHARACTERS),
    estimateMinutes: hasActions ? 1 : time === 'recurring' ? 5 : ADDED_MINUTES,
    ...(recurrence !== undefined && { recurrence }),
  };
  const grown = hasActions ? nodes.map((other) => (other === beside ? growEstimate(other, node) : other)) : nodes;
  return [...grown, node];
}

function growEstimate(task: PlanNode, { estimateMinutes = 0 }: PlanNode): PlanNode {
  return task.estimateMinutes === undefined
    ? task
    : { ...task, estimateMinutes: task.estimateMinutes + estimateMinutes };
}

function dropTasks(nodes: readonly PlanNode[], words: string): readonly PlanNode[] {
  const text = words.toLowerCase();
  const isTask = ({ id, level }: PlanNode): boolean =>
    (level === 'L3' || level === 'L4') && !nodes.some(({ parent }) => parent === id);
  return nodes.reduce<readonly PlanNode[]>((kept, node) => {
    const siblings = kept.filter(({ parent }) => parent === node.parent);
    const isUnwanted = isTask(node) && node.title.toLowerCase().includes(text) && siblings.length > 1;
    return isUnwanted ? kept.filter((other) => other !== node) : kept;
  }, nodes);
}

/** Gives a task to an agent: the task with these words, or a new one. Without words the agent does every task that is not repeated. */
function assignAgent(
  nodes: readonly PlanNode[],
  { agent, task }: Draft['goal']['agents'][number],
): readonly PlanNode[] {
  const isLeaf = ({ id, level }: PlanNode): boolean =>
    (level === 'L3' || level === 'L4') && !nodes.some(({ parent }) => parent === id);
  const isMeant = (node: PlanNode): boolean =>
    isLeaf(node) &&
    (task === undefined ? node.time !== 'recurring' : node.title.toLowerCase().includes(task.toLowerCase()));
  if (task === undefined || nodes.some(isMeant))
    return nodes.map((node) => (isMeant(node) ? { ...node, agent } : node));
  const grown = addTask(nodes, task);
  return grown.map((node) => (node === grown.at(-1) && grown.length > nodes.length ? { ...node, agent } : node));
}
