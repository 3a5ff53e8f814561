import { evaluateChecks, findMismatches, matchesPattern, type Check, type CheckInput } from '@phaseline/checks';
import { buildCheckInput, listNeededTexts } from '@phaseline/domain';
import { readTextByHash, type BlobReader } from '@phaseline/workspace';
import type { CallExpectation, Expectations, Times } from './case-schema.js';
import type { CallFacts, JobFacts } from './job-facts.js';

/** An expectation that does not hold. */
export interface CaseFailure {
  /** Path of the expectation in the case. */
  readonly expectation: string;
  readonly expected: string;
  readonly found: string;
}

/** Size in bytes up to which a file is read for a check. */
const MAX_CHECKED_BYTES = 8 * 1024 * 1024;

/** Returns the expectations that do not hold. `prompts` are those of all model calls. */
export async function evaluateCase(
  expect: Expectations,
  facts: JobFacts,
  prompts: readonly string[],
  blobs: BlobReader,
): Promise<readonly CaseFailure[]> {
  return [
    ...checkJob(expect, facts),
    ...(await checkChecks(expect.checks ?? [], facts, blobs)),
    ...(expect.calls ?? []).flatMap((call, index) => checkCall(call, index, facts)),
    ...checkTodos(expect, facts),
    ...(expect.rejections ?? []).flatMap(({ gate, message, times }, index) => {
      const found = facts.rejections.filter(
        (one) =>
          (gate === undefined || one.gate === gate) && (message === undefined || matchesPattern(message, one.message)),
      );
      const shown = facts.rejections.map((one) => `${one.gate}: ${one.message}`);
      return checkTimes(`rejections[${index}]`, describe('a rejection', { gate, message }), times, found.length, shown);
    }),
    ...(expect.prompts ?? []).flatMap(({ contains, times }, index) => {
      const found = prompts.filter((prompt) => prompt.includes(contains)).length;
      const shown = [`${prompts.length} model calls`];
      return checkTimes(`prompts[${index}]`, `a prompt that contains ${JSON.stringify(contains)}`, times, found, shown);
    }),
    ...checkCaps(expect, facts),
  ];
}

function checkJob({ job }: Expectations, { outcome, failure }: JobFacts): readonly CaseFailure[] {
  if (job === undefined) return [];
  const wanted: { readonly ended: string; readonly code?: string | undefined } =
    typeof job === 'string' ? { ended: job } : job;
  if (wanted.ended === outcome && (wanted.code === undefined || wanted.code === failure?.code)) return [];
  const show = (ended: string, code: string | undefined): string => (code === undefined ? ended : `${ended} (${code})`);
  const found = failure ? `${show(outcome, failure.code)}: ${failure.message}` : outcome;
  return [{ expectation: 'job', expected: show(wanted.ended, wanted.code), found }];
}

/** Evaluates checks over the files at the end and the calls of all phases. `since` means the beginning of the job. */
async function checkChecks(
  checks: readonly Check[],
  facts: JobFacts,
  blobs: BlobReader,
): Promise<readonly CaseFailure[]> {
  const last = facts.phases.at(-1);
  if (checks.length === 0) return [];
  if (!last) return [{ expectation: 'checks', expected: 'a phase', found: 'the job has started none' }];
  const texts = new Map<string, string>();
  for (const hash of listNeededTexts(checks, last).keys()) {
    const text = await readTextByHash(blobs, hash, MAX_CHECKED_BYTES);
    if (text !== undefined) texts.set(hash, text);
  }
  const initial = facts.job.submitted.tree;
  const input: CheckInput = {
    ...buildCheckInput(last, texts),
    hashAt: (_since, path) => (Object.hasOwn(initial, path) ? initial[path]!.hash : undefined),
    calls: facts.phases.flatMap(({ work }) => work.calls),
    todoFrom: 0,
  };
  return checks.flatMap((check, index) => {
    const result = evaluateChecks([check], input);
    const expectation = `checks[${index}]`;
    if (result.kind === 'holds') return [];
    if (result.kind === 'fails')
      return result.failures.map(({ expected, found }) => ({ expectation, expected, found }));
    const expected = result.runs.map(({ kind, name }) => `the ${kind} ${name} passes`).join(' and ');
    return [{ expectation, expected, found: 'cases do not run it; expect its call with calls instead' }];
  });
}

function checkCall(wanted: CallExpectation, index: number, { calls }: JobFacts): readonly CaseFailure[] {
  const { tool, args, outcome, code, message, phase, times } = wanted;
  const ofTool = calls.filter((call) => call.tool === tool);
  const found = ofTool.filter(
    (call) =>
      (args === undefined || findMismatches(args, call.args).length === 0) &&
      (outcome === undefined || call.outcome === outcome) &&
      (code === undefined || call.code === code) &&
      (message === undefined || matchesPattern(message, call.message)) &&
      (phase === undefined || call.phase === phase),
  );
  const expected = describe(`a call of ${tool}`, { args, outcome, code, message, phase });
  return checkTimes(`calls[${index}]`, expected, times, found.length, ofTool.map(showCall));
}

function showCall({ phase, tool, outcome, code, message }: CallFacts): string {
  return `${tool} in phase ${phase} ${outcome}${code === undefined ? '' : ` (${code})`}${outcome === 'completed' ? '' : `: ${message}`}`;
}

function checkTodos({ todos: wanted }: Expectations, { phases }: JobFacts): readonly CaseFailure[] {
  if (!wanted) return [];
  const list = phases
    .filter(({ start }) => wanted.phase === undefined || start.identity.phase === wanted.phase)
    .flatMap(({ todos }) => todos.list);
  const counts = {
    done: list.filter(({ status }) => status === 'done').length,
    open: list.filter(({ status, blocked }) => status === 'open' && blocked === undefined).length,
    blocked: list.filter(({ status, blocked }) => status === 'open' && blocked !== undefined).length,
  };
  const failures = (['done', 'open', 'blocked'] as const).flatMap((name): readonly CaseFailure[] => {
    const expected = wanted[name];
    if (expected === undefined || expected === counts[name]) return [];
    return [{ expectation: `todos.${name}`, expected: String(expected), found: String(counts[name]) }];
  });
  const missing = (wanted.contents ?? []).filter((text) => !list.some(({ content }) => content.includes(text)));
  return [
    ...failures,
    ...missing.map((text) => ({
      expectation: 'todos.contents',
      expected: `a todo with ${JSON.stringify(text)}`,
      found: shorten(list.map(({ content }) => content)),
    })),
  ];
}

function checkCaps({ caps = {} }: Expectations, { job, spending }: JobFacts): readonly CaseFailure[] {
  const used = {
    phases: job.phases,
    steps: spending.steps,
    tokens: spending.inputTokens + spending.outputTokens,
    costUsd: spending.costMicroUsd / 1_000_000,
  };
  return (['phases', 'steps', 'tokens', 'costUsd'] as const).flatMap((name) => {
    const cap = caps[name];
    if (cap === undefined || used[name] <= cap) return [];
    return [{ expectation: `caps.${name}`, expected: `at most ${cap}`, found: String(used[name]) }];
  });
}

function checkTimes(
  expectation: string,
  what: string,
  times: Times | undefined,
  found: number,
  shown: readonly string[],
): readonly CaseFailure[] {
  const { min = 0, max = Infinity } =
    times === undefined ? { min: 1 } : typeof times === 'number' ? { min: times, max: times } : times;
  if (found >= min && found <= max) return [];
  const amount =
    min === max ? `${min} times` : max === Infinity ? `at least ${min} times` : `between ${min} and ${max} times`;
  return [{ expectation, expected: `${what} ${amount}`, found: `${found} times; ${shorten(shown)}` }];
}

function describe(what: string, members: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return [what, ...given.map(([name, value]) => `${name} ${JSON.stringify(value)}`)].join(', ');
}

/** Number of things that a message lists. */
const MAX_SHOWN = 5;

function shorten(all: readonly string[]): string {
  if (all.length === 0) return 'there is none';
  const more = all.length > MAX_SHOWN ? `; and ${all.length - MAX_SHOWN} more` : '';
  return `there are: ${all.slice(0, MAX_SHOWN).join('; ')}${more}`;
}
