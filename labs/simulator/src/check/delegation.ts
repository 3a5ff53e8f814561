import { hasJobEnded, jobEndTypes, type PhaseEvent } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs, type JobLog, type PhaseLog } from './streams.js';

type Ended = Extract<PhaseEvent, { readonly type: 'ChildJobEnded' }>['data'];

/** Checks that each call that delegates has one child job, that its phase waits for the end, and that a child job of an ended phase ends too. */
export function* checkDelegation(remains: RunResult): Iterable<string> {
  const logs = readJobLogs(remains);
  const children = new Map<string, JobLog>();
  for (const child of logs) {
    const { delegatedBy } = child.state.submitted;
    if (!delegatedBy) continue;
    const { jobId, phase, callId } = delegatedBy;
    const key = `${jobId} ${phase} ${callId}`;
    if (children.has(key)) yield `${child.agent}: ${callId} has two child jobs`;
    children.set(key, child);
    const parent = logs.find((one) => one.jobId === jobId);
    const isRequested = parent?.phases[phase - 1]?.events.some(
      ({ event }) => event.type === 'ChildJobRequested' && event.data.callId === callId,
    );
    if (!isRequested) yield `${child.agent} is a child job that no call requested`;
    // A parent that a person paused for good waits for it.
    if (!hasJobEnded(child.state))
      yield `${child.agent} still runs, and its parent is ${parent?.state.status ?? 'missing'}`;
  }
  for (const { jobId, agent, phases } of logs)
    for (const phase of phases) {
      const find = (callId: string) => children.get(`${jobId} ${phase.phase} ${callId}`);
      for (const problem of [...findCallProblems(phase, find), ...findMoneyProblems(phase)])
        yield `${agent} phase ${phase.phase}: ${problem}`;
    }
}

function* findCallProblems(
  { events, state }: PhaseLog,
  find: (callId: string) => JobLog | undefined,
): Iterable<string> {
  const requested = new Set<string>();
  const open = new Set<string>();
  for (const { event, recorded } of events) {
    if (event.type === 'ChildJobRequested') {
      const { callId } = event.data;
      if (requested.has(callId)) yield `${callId} requested a child job twice`;
      requested.add(callId);
      open.add(callId);
    }
    if (event.type !== 'ChildJobEnded') continue;
    const { callId } = event.data;
    if (!open.delete(callId)) yield `the child job of ${callId} ended although nothing waited for it`;
    const child = find(callId);
    if (child) yield* findEndProblems(event.data, child, recorded.position);
    else if (event.data.outcome !== 'refused') yield `the child job of ${callId} ended, and is not in the log`;
  }
  if (state.end?.kind === 'completed') for (const callId of open) yield `completed before the child job of ${callId}`;
}

/** Checks that the recorded end is that of the child job, within the share that was reserved for it. */
function* findEndProblems(end: Ended, { agent, jobId, state, events }: JobLog, position: number): Iterable<string> {
  if (end.childJobId !== jobId) yield `the end of ${agent} names another job`;
  const ends: readonly string[] = jobEndTypes;
  const ended = events.findLast(({ event }) => ends.includes(event.type));
  if (!ended || ended.recorded.position > position) yield `${agent} had not ended when its end was recorded`;
  if (JSON.stringify(end.spending) !== JSON.stringify(state.spending))
    yield `${agent} spent something else than was recorded`;
  const { costMicroUsd = 0, tokens = 0 } = end.unconfirmed;
  const { reserved, spending } = end;
  if (reserved.costMicroUsd > 0 && spending.costMicroUsd + costMicroUsd > reserved.costMicroUsd)
    yield `${agent} cost ${spending.costMicroUsd + costMicroUsd} micro-USD of ${reserved.costMicroUsd} reserved`;
  const used = spending.inputTokens + spending.outputTokens + tokens;
  if (reserved.tokens > 0 && used > reserved.tokens)
    yield `${agent} used ${used} tokens of ${reserved.tokens} reserved`;
}

/** Checks that a phase counts what its own calls and its child jobs cost. */
function* findMoneyProblems({ events, state }: PhaseLog): Iterable<string> {
  let costMicroUsd = 0;
  for (const { event } of events) {
    if (event.type === 'ModelResponded' || event.type === 'JudgeEnded') costMicroUsd += event.data.costMicroUsd;
    if (event.type === 'ConversationSummarised' || event.type === 'ReflectionRecorded')
      costMicroUsd += event.data.costMicroUsd;
    if (event.type === 'ChildJobEnded') costMicroUsd += event.data.spending.costMicroUsd;
  }
  const counted = state.money.spending.costMicroUsd;
  if (counted !== costMicroUsd) yield `counts ${counted} micro-USD, and its calls and child jobs cost ${costMicroUsd}`;
}
