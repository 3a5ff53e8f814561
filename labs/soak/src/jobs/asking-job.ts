import type { PlayedAgent } from './with-stack.js';

/** Steps of a job: asking, writing down the answer, completing the todo. */
export const ASKING_JOB_STEPS = 3;
export const ASKING_AGENT = 'soak-asker';
export const ANSWER = 'green';

const AGENT = `name: ${ASKING_AGENT}
displayName: Soak asker
description: Asks a person and writes down the answer.
workflow: soak-ask
instructions: instructions.md
models: { tactical: rehearsal }
tools:
  workspace: [write_file]
  tactical: [todo_complete]
  domain: [ask_person]
`;

const WORKFLOW = `name: soak-ask
version: 1
description: One phase that asks a person.
start: ask
states:
  ask:
    kind: tactical
    title: Ask
    todos: [Ask for a colour and write it down]
    finish: written
    outcomes:
      written: { end: completed }
`;

const QUESTION = {
  question: 'Which colour should the report have?',
  options: [ANSWER, 'red'],
  deadline: '30d',
};

/** A job that asks a person and waits for the answer. */
export const askingJobAgent: PlayedAgent = {
  files: {
    [`agents/${ASKING_AGENT}/agent.yaml`]: AGENT,
    [`agents/${ASKING_AGENT}/instructions.md`]: 'Ask for a colour.\n',
    'workflows/soak-ask.yaml': WORKFLOW,
  },
  policies: [
    {
      name: ASKING_AGENT,
      matches: () => true,
      answer: ({ messages }) => {
        const turn = messages.filter(({ role }) => role === 'assistant').length;
        if (turn === 0) return { calls: [{ name: 'ask_person', arguments: QUESTION }] };
        if (turn > 1) return { calls: [{ name: 'todo_complete', arguments: { notes: 'Wrote it down.' } }] };
        const content = messages.findLast(({ role }) => role === 'tool')?.content ?? '';
        return { calls: [{ name: 'write_file', arguments: { path: 'colour.md', content } }] };
      },
    },
  ],
};
