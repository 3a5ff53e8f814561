import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import { act, call, filterCalls, finishTodo, reportBlocked, type Scene } from '../scene.js';
import { hasSucceeded, isSameCall, listEndedCommands, REPOSITORY, run, RUN_TESTS } from './example-commands.js';
import { queryDemanded } from '../strategic-moves.js';
import type { Attempt } from './example/example-feature.js';
import { getEvidencePath, type Assignment } from './read-assignment.js';

const SOURCES = ['src/server.js', 'src/todos.js'].map((path) => `${REPOSITORY}/${path}`);

/** Plays the coder: reads, changes what the script of the attempt says, runs the tests, commits, and returns. */
export function playCode(scene: Scene, assignment: Assignment): RehearsalAnswer {
  const { feature, attempt } = assignment;
  const script = feature.attempts[attempt - 1];
  if (!script) return reportBlocked(`the rehearsal has no attempt ${attempt} at ${feature.id}.`);
  if (scene.todo.id === 1) return lookAtSources(scene, assignment);
  return implement(scene, script, `${feature.id}, attempt ${attempt}`);
}

/** Reads the sources, and what fails: in a first attempt the tests say it, in a later one the tester has noted it. */
function lookAtSources(scene: Scene, { feature, attempt }: Assignment): RehearsalAnswer {
  const { callsOnTodo } = scene;
  const paths = attempt === 1 ? SOURCES : [...SOURCES, getEvidencePath(feature)];
  if (filterCalls(callsOnTodo, 'read_file').length === 0)
    return act('', ...queryDemanded(scene), ...paths.map((path) => call('read_file', { path })));
  if (attempt > 1) return finishTodo('Read the sources, and what the tester saw.');
  const [tests] = listEndedCommands(callsOnTodo);
  if (!tests) return act('', RUN_TESTS);
  if (!hasSucceeded(tests)) return reportBlocked(tests.result);
  return finishTodo('Read the sources; all tests pass before the work.');
}

function implement({ callsOnTodo }: Scene, script: Attempt, subject: string): RehearsalAnswer {
  const edits = callsOnTodo.filter(({ name }) => name === 'write_file' || name === 'edit_file');
  if (edits.length === 0) return act('', ...script.changes);
  const failedEdit = edits.find(({ result }) => !/^(?:Wrote|Replaced) /.test(result));
  if (failedEdit) return reportBlocked(failedEdit.result);
  const commands = listEndedCommands(callsOnTodo);
  const failedCommand = commands.find((past) => !hasSucceeded(past));
  if (failedCommand) return reportBlocked(failedCommand.result);
  const steps = [RUN_TESTS, run('git', ['add', '--all']), run('git', ['commit', '--quiet', '-m', subject])];
  const next = steps.find((step) => !commands.some((past) => isSameCall(past, step)));
  if (next) return act('', next);
  const artifacts = script.changes.map(({ arguments: args }) => String(args['path']));
  return act(
    '',
    call('phase_return', {
      outcome: 'coded',
      result: {
        summary: script.summary,
        decisions: [...script.decisions],
        defects: [],
        details: ['src/todos.js decides, src/server.js answers.'],
        tests: 'node --test: all tests pass.',
        artifacts: [...new Set(artifacts)],
      },
    }),
  );
}
