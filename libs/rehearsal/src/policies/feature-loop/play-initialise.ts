import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import {
  act,
  call,
  filterCalls,
  findLastResult,
  finishTodo,
  parseFileListing,
  reportBlocked,
  type Scene,
} from '../scene.js';
import { REPOSITORY } from './example-commands.js';
import { exampleFeatures } from './example/example-features.js';

const README = `${REPOSITORY}/README.md`;
const SERVER = `${REPOSITORY}/src/server.js`;
const TESTS = `${REPOSITORY}/test/todos.test.js`;

/** Plays the initializer: looks at the example, describes it in workspace.md, and hands in its three features. */
export function playInitialise({ todo, callsOnTodo }: Scene): RehearsalAnswer {
  if (todo.id === 1) return lookAtProject(callsOnTodo);
  const refused = findLastResult(callsOnTodo, 'submit_features');
  if (refused !== undefined) return reportBlocked(refused);
  return act(
    '',
    call('read_file', { path: TESTS }),
    call('submit_features', {
      features: exampleFeatures.map(({ id, description, checks }) => ({ id, description, checks: [...checks] })),
      setup: 'Node.js without packages: npm start starts the service, npm test runs its tests.',
      next_steps: 'src/server.js knows HTTP, src/todos.js knows todos. New tests belong into new files.',
    }),
  );
}

function lookAtProject(callsOnTodo: Scene['callsOnTodo']): RehearsalAnswer {
  const listing = findLastResult(callsOnTodo, 'list_files');
  if (listing === undefined) return act('I look at the project.', call('list_files', { path: REPOSITORY }));
  if (!parseFileListing(listing).includes(SERVER))
    return reportBlocked(
      'the rehearsal model plays the feature loop only on agents/feature-lead/example. Set OPENAI_BASE_URL to use a language model.',
    );
  const read = filterCalls(callsOnTodo, 'read_file').map(({ arguments: args }) => args['path']);
  const unread = [README, SERVER].filter((path) => !read.includes(path));
  if (unread.length > 0) return act('', ...unread.map((path) => call('read_file', { path })));
  return finishTodo(
    'The project is described in workspace.md.',
    call('write_file', { path: 'workspace.md', content: MEMORY }),
  );
}

const MEMORY = `# Todos

Purpose: a service that keeps todos in memory, in ${REPOSITORY}/.

Layout: src/server.js knows HTTP, src/todos.js knows todos, test/ has the tests.

Commands, in ${REPOSITORY}/: \`npm start\` starts the service on port 8080, \`npm test\` runs the tests with node --test. There are no packages.

Conventions: errors are answered as {"error": "…"}. Tests request a server of their own on a free port.
`;
