import { edit, SERVICE, writeTests, type ExampleFeature } from './example-feature.js';

const TEST = 'test/due-dates.test.js';
const WRONG_CHECK = 'Number.isNaN(Date.parse(due))';
const REFUSED = "['soon', '2026-13-01']";

/**
 * A feature that fails twice: `Date.parse` takes 30 February for 2 March. The second attempt checks the form of the date, which does not help, and
 * the tests try no date that has the right form and does not exist.
 */
export const dueDates: ExampleFeature = {
  id: 'due-dates',
  description:
    'A todo can have a due date: due in POST /todos, such as 2026-03-31. A date that does not exist is refused with 400.',
  checks: [
    { verifier: 'unit', tests: ['keeps the due date of a todo', 'refuses a due date that does not exist'] },
    {
      verifier: 'api',
      requests: [
        {
          method: 'POST',
          url: `${SERVICE}/todos`,
          body: { title: 'Pay rent', due: '2026-03-31' },
          status: 201,
          contains: '"due":"2026-03-31"',
        },
        { method: 'POST', url: `${SERVICE}/todos`, body: { title: 'Pay rent', due: '2026-02-30' }, status: 400 },
      ],
    },
  ],
  attempts: [
    {
      changes: [
        edit(
          'src/server.js',
          '  return { status: 201, content: todos.add({ title }) };',
          `  const due = body.due;
  if (due !== undefined && ${WRONG_CHECK}) return refuse(400, 'the due date does not exist');
  return { status: 201, content: todos.add({ title, due }) };`,
        ),
        edit('src/todos.js', '  add({ title }) {', '  add({ title, due }) {'),
        edit(
          'src/todos.js',
          ', title, done: false };',
          ', title, done: false, ...(due === undefined ? {} : { due }) };',
        ),
        writeTests(
          TEST,
          `test('keeps the due date of a todo', async () => {
  const response = await post('/todos', { title: 'Pay rent', due: '2026-03-31' });
  assert.equal((await response.json()).due, '2026-03-31');
});

test('refuses a due date that does not exist', async () => {
  for (const due of ${REFUSED}) assert.equal((await post('/todos', { title: 'Pay rent', due })).status, 400);
});
`,
        ),
      ],
      summary: 'POST /todos takes a due date and refuses what is no date.',
      decisions: ['A todo without a due date has no member due.'],
    },
    {
      changes: [
        edit('src/server.js', WRONG_CHECK, `!(DATE.test(due) && !${WRONG_CHECK})`),
        edit(
          'src/server.js',
          'const MAX_TITLE_CHARACTERS = 200;\n',
          'const MAX_TITLE_CHARACTERS = 200;\nconst DATE = /^\\d{4}-\\d{2}-\\d{2}$/;\n',
        ),
        edit(TEST, REFUSED, "['soon', '2026-13-01', '31.3.2026']"),
      ],
      summary: 'The form of the due date is checked now as well.',
      decisions: [
        'Only dates such as 2026-03-31 are accepted, because others are read differently in other countries.',
      ],
    },
  ],
  tries: [
    {
      tried: 'add a todo with a due date',
      method: 'POST',
      path: '/todos',
      body: { title: 'Pay rent', due: '2026-03-31' },
      status: 201,
      contains: '2026-03-31',
    },
    {
      tried: 'add one for 30 February',
      method: 'POST',
      path: '/todos',
      body: { title: 'Pay rent', due: '2026-02-30' },
      status: 400,
    },
  ],
};
