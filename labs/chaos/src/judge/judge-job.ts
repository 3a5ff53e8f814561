import type { JobId } from '@phaseline/contracts';
import type { RecordedEvent } from '@phaseline/event-store';
import { COMMAND_TOOL, type Effect } from '../agent/chaos-pack.js';
import type { SentDecision } from '../fleet/people.js';
import { findWaitLosses } from './judge-waits.js';

/** Outcome of one job, derived from its events and from the effects of its tools. */
export interface JobOutcome {
  readonly jobId: JobId;
  /** Reasons why the job does not count as survived; empty if it does. */
  readonly losses: readonly string[];
  /** `once` effects beyond the first per call. */
  readonly doubled: number;
  /** `once` calls of tools with effects outside the system. */
  readonly onceCalls: number;
  /** `once` calls with a result and exactly one effect. */
  readonly onceDone: number;
  /** `once` calls with unknown outcome in the log whose effect happened. */
  readonly unknownWithEffect: number;
  /** `once` calls with unknown outcome in the log whose effect did not happen. */
  readonly unknownWithoutEffect: number;
  /** Questions and approvals that a person decided. */
  readonly waits: number;
  readonly takeovers: number;
  readonly phases: number;
}

interface Call {
  readonly name: string;
  readonly effect: string;
  started: number;
  readonly ends: string[];
}

/** Tools without effects outside the system: those of commands are their files, and verifiers and hooks have none. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([COMMAND_TOOL, 'run_verifier', 'run_guard']);

const PHASE_ENDS = ['PhaseCompleted', 'PhaseFailed', 'PhaseCancelled'];

/**
 * Judges a job from its raw events, without the folds of the system under test. `events` are all events of the job in log order;
 * `expected` maps each path that must be under `output/` to its SHA-256; `decisions` are those of people about this job.
 */
export function judgeJob(
  jobId: JobId,
  events: readonly RecordedEvent[],
  effects: readonly Effect[],
  expected: Readonly<Record<string, string>>,
  decisions: readonly SentDecision[] = [],
): JobOutcome {
  const losses: string[] = [];
  const calls = callsOf(events, losses);
  const effectCounts = new Map<string, number>();
  for (const { callId } of effects) effectCounts.set(callId, (effectCounts.get(callId) ?? 0) + 1);
  let [doubled, onceCalls, onceDone, unknownWithEffect, unknownWithoutEffect] = [0, 0, 0, 0, 0];
  for (const [callId, { name, effect, started, ends }] of calls) {
    const times = effectCounts.get(callId) ?? 0;
    const [end] = ends;
    if (ends.length !== 1) losses.push(`${callId} has ${ends.length} ends`);
    if (end === 'completed' && times === 0 && !WITHOUT_EFFECT.has(name))
      losses.push(`${callId} completed without an effect`);
    if (effect !== 'once') continue;
    if (started > 1) losses.push(`${callId} was started ${started} times`);
    if (WITHOUT_EFFECT.has(name)) continue;
    onceCalls += 1;
    doubled += Math.max(0, times - 1);
    if (end === 'completed' && times === 1) onceDone += 1;
    else if (end === 'outcome_unknown' && times > 0) unknownWithEffect += 1;
    else if (end === 'outcome_unknown') unknownWithoutEffect += 1;
    else if (times > 0 && end !== 'completed') losses.push(`${callId} took effect and ended as ${end}`);
  }
  for (const callId of effectCounts.keys())
    if (!calls.has(callId)) losses.push(`${callId} took effect and is not in the log`);
  checkEnds(events, losses);
  checkOutput(events, expected, losses);
  losses.push(...findWaitLosses(events, decisions));
  return {
    jobId,
    losses,
    doubled,
    onceCalls,
    onceDone,
    unknownWithEffect,
    unknownWithoutEffect,
    waits: count(events, 'QuestionAsked') + count(events, 'ApprovalRequested'),
    takeovers: count(events, 'PhaseTakenOver'),
    phases: count(events, 'PhaseStarted'),
  };
}

function callsOf(events: readonly RecordedEvent[], losses: string[]): Map<string, Call> {
  const calls = new Map<string, Call>();
  for (const { type, data } of events) {
    const callId = String(data.callId);
    if (type === 'ToolCallRequested' || type === 'ApprovalRequested') {
      if (calls.has(callId)) losses.push(`${callId} was requested twice`);
      else if (data.lane === 'remote')
        calls.set(callId, { name: String(data.name), effect: String(data.effect), started: 0, ends: [] });
    }
    const call = calls.get(callId);
    if (!call) continue;
    if (type === 'ToolCallStarted') call.started += 1;
    if (type === 'ToolCallCompleted') call.ends.push('completed');
    if (type === 'ApprovalRefused') call.ends.push('refused');
    if (type === 'ToolCallFailed') call.ends.push(String(data.code));
  }
  return calls;
}

function checkEnds(events: readonly RecordedEvent[], losses: string[]): void {
  if (count(events, 'JobSubmitted') !== 1) losses.push(`the job was submitted ${count(events, 'JobSubmitted')} times`);
  const jobEnd = events.filter(({ type }) => ['JobCompleted', 'JobFailed', 'JobCancelled'].includes(type));
  if (jobEnd.length !== 1 || jobEnd[0]?.type !== 'JobCompleted') {
    const reason = jobEnd.map(({ type, data }) => `${type} ${JSON.stringify(data).slice(0, 300)}`).join(', ');
    losses.push(`the job did not complete: ${reason || 'it has no end event'}`);
  }
  const ends = new Map<string, number>();
  for (const { type, streamId } of events)
    if (PHASE_ENDS.includes(type)) ends.set(streamId, (ends.get(streamId) ?? 0) + 1);
  for (const { type, streamId } of events)
    if (type === 'PhaseStarted' && ends.get(streamId) !== 1)
      losses.push(`${streamId} ended ${ends.get(streamId) ?? 0} times`);
}

function checkOutput(
  events: readonly RecordedEvent[],
  expected: Readonly<Record<string, string>>,
  losses: string[],
): void {
  const files = new Map<string, string>();
  for (const { type, data } of events) {
    const path = String(data.path);
    if (!path.startsWith('output/')) continue;
    if (type === 'FileWritten') files.set(path, String(data.hash));
    if (type === 'FileDeleted') files.delete(path);
  }
  for (const [path, hash] of Object.entries(expected))
    if (files.get(path) !== hash)
      losses.push(`${path} is ${files.has(path) ? 'different from the expected content' : 'missing'}`);
  for (const path of files.keys()) if (!(path in expected)) losses.push(`${path} should not be there`);
}

function count(events: readonly RecordedEvent[], wanted: string): number {
  return events.filter(({ type }) => type === wanted).length;
}
