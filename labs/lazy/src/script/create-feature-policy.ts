import { parsePrompt, type Policy, type Reply } from '@phaseline/harness';
import type { FeaturesTask } from '../tasks/features-task.js';
import { readFile, writeFile, type Answer } from './call.js';
import type { FeatureScript } from './feature-script.js';

/** The judge of a change never objects, so that a lazy model is refused by the machine or not at all. */
const NO_OBJECTION: Reply = { content: '{"objection": false, "reason": ""}' };

/** Policy that plays the agents of the workflow of features. It has state, so it serves one job. */
export function createFeaturePolicy(script: FeatureScript, task: FeaturesTask): Policy {
  let current = 0;
  let turn = 0;
  let answers: readonly Answer[] = [];
  return (request): Reply => {
    const texts = request.messages.map(({ content }) => content ?? '');
    if (texts[0]?.includes('"objection"')) return NO_OBJECTION;
    const { phase } = parsePrompt(request);
    if (phase !== current) {
      current = phase;
      turn = 0;
      answers = lookForPrecedents(chooseAnswers(script, task, texts, request.tools), request.tools);
    }
    const answer = answers[Math.min(turn, answers.length - 1)] ?? [];
    turn += 1;
    return { calls: answer.map(([name, args = {}]) => ({ name, arguments: args })) };
  };
}

/** The first todo demands it of every agent that has the tool; no kind of model leaves it out, so that it decides nothing about them. */
function lookForPrecedents(answers: readonly Answer[], tools: readonly { readonly name: string }[]): readonly Answer[] {
  const [first, ...others] = answers;
  if (first === undefined || !tools.some(({ name }) => name === 'query_traces')) return answers;
  return [[['query_traces', {}], ...first], ...others];
}

/** The answers of a phase. The tools that it offers and its feature say which one it is. */
function chooseAnswers(
  script: FeatureScript,
  task: FeaturesTask,
  texts: readonly string[],
  tools: readonly { readonly name: string }[],
): readonly Answer[] {
  if (tools.some(({ name }) => name === 'submit_features')) return initialise(script, task);
  const [, id] = /^## Feature (\S+)$/m.exec(texts.join('\n')) ?? [];
  if (id === undefined) return report();
  // Only the coder changes files in place.
  return tools.some(({ name }) => name === 'edit_file') ? script.code(id) : script.test(id);
}

function initialise({ list }: FeatureScript, { files, instructions }: FeaturesTask): readonly Answer[] {
  const memory = `# Project\n\nTask: ${instructions.trim()}\n\nFiles: ${files.map(({ path }) => path).join(', ')}\n`;
  return [
    [readFile('instructions.md'), ['list_files', {}]],
    [writeFile('workspace.md', memory), ['todo_complete', {}]],
    [
      ...files.map(({ path }) => readFile(path)),
      ['submit_features', { features: list, setup: 'npm test runs the tests.', next_steps: 'Repair src/.' }],
    ],
  ];
}

const report = (): readonly Answer[] => [
  [
    readFile('feature-list.json'),
    writeFile(
      'output/report.md',
      '# Report\n\nEach feature was implemented and tested, one after the other. The list says what became of each of them.\n',
    ),
    ['todo_complete', {}],
  ],
];
