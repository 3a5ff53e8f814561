import type { JsonObject } from '@phaseline/basics';
import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import { act, call, reportBlocked, type Scene } from '../scene.js';
import { hasSucceeded, isSameCall, listEndedCommands, run, RUN_TESTS } from './example-commands.js';
import { buildTryScript, parseTried, type Tried } from './example/try-script.js';
import { getEvidencePath, type Assignment } from './read-assignment.js';

/** Plays the tester: runs the tests, tries the feature on a running service, notes what happened, and returns accordingly. */
export function playTest({ callsOnTodo }: Scene, { feature, attempt }: Assignment): RehearsalAnswer {
  const refused = callsOnTodo.findLast(({ name }) => name === 'phase_return');
  if (refused)
    return act(
      '',
      returnFailed('The claim was refused.', [{ tried: 'phase_return', works: false, seen: refused.result }]),
    );
  const commands = listEndedCommands(callsOnTodo);
  const tests = commands.find((past) => isSameCall(past, RUN_TESTS));
  if (!tests) return act('', RUN_TESTS);
  if (!hasSucceeded(tests))
    return act('', returnFailed('The tests of the project fail.', [{ tried: 'node --test', works: false, seen: '' }]));
  const tryScript = run('node', ['--input-type=module', '-'], buildTryScript(feature.tries));
  const made = commands.find((past) => isSameCall(past, tryScript));
  if (!made) return act('', tryScript);
  const sent = parseTried(made.result);
  if (sent.length < feature.tries.length) return reportBlocked(made.result);
  const tried = [{ tried: 'node --test', works: true, seen: 'All tests pass.' }, ...sent];
  const evidence = getEvidencePath(feature);
  const note = call('append_file', { path: evidence, content: describeTried(attempt, tried) });
  const wrong = tried.find(({ works }) => !works);
  if (wrong) return act('', note, returnFailed(`${wrong.tried}: ${wrong.seen}`, tried, evidence));
  const result = { ...describeResult('Everything that the description promises works.', tried, evidence), defects: [] };
  return act('', note, call('phase_return', { outcome: 'passed', result }));
}

function returnFailed(summary: string, tried: readonly Tried[], evidence?: string) {
  return call('phase_return', {
    outcome: 'failed',
    result: { ...describeResult(summary, tried, evidence), defects: [summary] },
  });
}

function describeResult(summary: string, tried: readonly Tried[], evidence: string | undefined): JsonObject {
  return {
    summary,
    results: tried.map((one) => ({ ...one })),
    decisions: [],
    details: ['Each request was sent to a server of its own, on a free port.'],
    artifacts: evidence === undefined ? [] : [evidence],
  };
}

function describeTried(attempt: number, tried: readonly Tried[]): string {
  const lines = tried.map(({ tried: what, works, seen }) => `- ${works ? 'works' : 'does not work'}: ${what}. ${seen}`);
  return [`## Attempt ${attempt}`, '', ...lines, ''].join('\n');
}
