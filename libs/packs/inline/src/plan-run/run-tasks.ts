import { assertNever } from '@phaseline/basics';
import {
  type CallState,
  DELEGATE,
  DELEGATED_DIRECTORY,
  getAdmittedCall,
  listNestedCalls,
  MAX_OPEN_CHILD_JOBS,
} from '@phaseline/domain';
import type { planRunSpec } from '@phaseline/pack-specs';
import {
  Blockers,
  boundText,
  decideRunStep,
  describeItem,
  describeRunWait,
  endItem,
  formatInstant,
  type ItemEnd,
  listPlannedItems,
  type PlannedItem,
  readRunReply,
  retryItem,
  type RunStep,
  startItems,
} from '@phaseline/planning';
import type { InlineToolContext, InlineToolOutcome, ToolRun } from '@phaseline/tools';
import { RunWork } from './run-work.js';

const MS_PER_MINUTE = 60_000;
/** An agent has at least this long for a task, also if its planned end is near or, in a rehearsal, only seconds away. */
const MIN_AGENT_MINUTES = 60;
/** Longest time for which the engine waits. A later task is waited for again. */
const MAX_WAIT_MINUTES = 30 * 24 * 60;
/** When a person has to act, the question is asked again after this time. */
const REMIND_MINUTES = 7 * 24 * 60;
/** Files of earlier tasks that an agent gets; a call takes 20. */
const MAX_INPUTS = 20;
const MAX_FILES = 100;

/** Does what is due in a plan that is carried out. */
export const runTasks: ToolRun<typeof planRunSpec, 'run_tasks'> = async (context) => {
  const work = await RunWork.read(context);
  const { question } = getAdmittedCall(context.state.calls, context.callId);
  if (question?.end) return followEnd(work, question.end);
  const step = decideRunStep(work.plan, work.run, work.now);
  switch (step.kind) {
    case 'finished':
      return work.finish('finished');
    case 'start':
      return start(work, step.items);
    case 'end':
      for (const item of step.items) end(work, item, { status: 'done', by: 'plan' });
      return work.finish('again');
    case 'delegate':
      return delegate(work, step.items.slice(0, MAX_OPEN_CHILD_JOBS), context);
    case 'wait':
      return wait(work, step, context);
    default:
      return assertNever(step);
  }
};

function start(work: RunWork, items: readonly PlannedItem[]): InlineToolOutcome {
  const at = formatInstant(work.now);
  work.run = startItems(work.run, items, work.now);
  for (const { id, node } of items)
    work.record('PlanTaskStarted', {
      ...{ item: id, title: node.title, at },
      ...(node.agent === undefined ? {} : { agent: node.agent }),
    });
  return work.finish('again');
}

function end(work: RunWork, item: PlannedItem, how: ItemEnd): void {
  work.run = endItem(work.run, item, how, work.now);
  const { status, by } = how;
  work.record('PlanTaskEnded', { item: item.id, status, by, at: formatInstant(work.now) });
}

/** Has agents do tasks, side by side, and records how they ended. */
function delegate(work: RunWork, items: readonly PlannedItem[], context: InlineToolContext): InlineToolOutcome {
  const calls = listNestedCalls(context.state, context.callId);
  if (calls.length === 0)
    return {
      content: '',
      nestedCalls: items.map((item) => ({ name: DELEGATE, arguments: toTask(work, item, context) })),
    };
  for (const [index, item] of items.entries()) {
    const call = calls[index]!;
    const by = item.node.agent!;
    const note = boundText(('result' in call && call.result) || '');
    const said = note === '' ? {} : { note };
    if (call.status === 'completed') end(work, item, { status: 'done', by, ...said, ...listDelivered(call, context) });
    else end(work, item, { status: 'failed', by, ...said });
  }
  return work.finish('again');
}

function toTask(work: RunWork, item: PlannedItem, context: InlineToolContext) {
  const planned = (work.clock.toReal(item.end).getTime() - context.now.getTime()) / MS_PER_MINUTE;
  const minutes = Math.round(Math.min(Math.max(planned, MIN_AGENT_MINUTES), MAX_WAIT_MINUTES));
  return {
    ...{ agent: item.node.agent!, task: describeItem(item, work.plan.context.goal) },
    inputs: listInputs(work, item).filter((path) => Object.hasOwn(context.state.tree, path)),
    timeout: `${minutes}m`,
  };
}

/** What agents delivered for the tasks on which a task depends. */
function listInputs({ plan, run }: RunWork, item: PlannedItem): string[] {
  const items = listPlannedItems(plan);
  const blockers = new Blockers(plan, items, run);
  const sources = blockers.listSources(item);
  const before = items.filter((other) => sources.some((source) => blockers.isIn(other, source)));
  return [...new Set(before.flatMap(({ id }) => run.items[id]?.files ?? []))].slice(0, MAX_INPUTS);
}

function listDelivered({ callId }: CallState, { state }: InlineToolContext): Pick<ItemEnd, 'files'> {
  const folder = `${DELEGATED_DIRECTORY}/${callId}/`;
  const files = Object.keys(state.tree)
    .filter((path) => path.startsWith(folder))
    .slice(0, MAX_FILES);
  return files.length > 0 ? { files } : {};
}

/** Waits for the next task or for the person, who is asked what has become of the tasks that people do. */
function wait(
  work: RunWork,
  step: Extract<RunStep, { readonly kind: 'wait' }>,
  { now }: InlineToolContext,
): InlineToolOutcome {
  const minutes = (count: number) => now.getTime() + count * MS_PER_MINUTE;
  const due = step.until === undefined ? minutes(REMIND_MINUTES) : work.clock.toReal(step.until).getTime();
  const deadlineAt = new Date(Math.max(Math.min(due, minutes(MAX_WAIT_MINUTES)), now.getTime() + 1));
  return { content: '', question: { question: describeRunWait(step, work.run.remark), deadlineAt } };
}

type QuestionEnd = NonNullable<NonNullable<ReturnType<typeof getAdmittedCall>['question']>['end']>;

/** Does what the person said, or what is due now that the time is over. */
function followEnd(work: RunWork, ended: QuestionEnd): InlineToolOutcome {
  const { remark: _said, ...run } = work.run;
  work.run = run;
  if (ended.kind === 'timed-out') return work.finish('again');
  const step = decideOpenItems(work);
  const reply = readRunReply(typeof ended.answer === 'string' ? ended.answer : JSON.stringify(ended.answer), step);
  switch (reply.kind) {
    case 'stop':
      return work.finish('stop');
    case 'replan':
      work.run = { ...work.run, replan: reply.why };
      return work.finish('replan');
    case 'unclear':
      work.run = { ...work.run, remark: reply.message };
      return work.finish('again');
    case 'retry':
      work.run = retryItem(work.run, reply.item);
      return work.finish('again');
    case 'end':
      end(work, reply.item, { status: reply.status, by: ended.actor });
      return work.finish('again');
    default:
      return assertNever(reply);
  }
}

/** The tasks about which the person could say something. */
function decideOpenItems({ plan, run }: RunWork) {
  const items = listPlannedItems(plan);
  const withStatus = (status: string) => items.filter(({ id }) => run.items[id]?.status === status);
  return { running: withStatus('running'), failed: withStatus('failed') };
}
