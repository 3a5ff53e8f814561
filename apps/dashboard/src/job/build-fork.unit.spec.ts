import { expect, it } from 'vitest';
import { buildFork, type ForkForm } from './build-fork.js';

const form: ForkForm = { agent: '', strategicModel: '', tacticalModel: ' ', mode: 'live', isEdited: false };

it('takes everything from the job where nothing is chosen', () => {
  expect(buildFork(form, 17)).toEqual({ position: 17, mode: 'live' });
});

it('contains what is chosen', () => {
  const chosen = { ...form, agent: 'writer', tacticalModel: 'small', mode: 'recorded' } as const;
  expect(buildFork(chosen, 17)).toEqual({
    ...{ position: 17, mode: 'recorded', agent: 'writer' },
    models: { tactical: 'small' },
  });
});

it('replaces the next answer, also by an empty one', () => {
  const calls = '[{"name": "write_file", "arguments": {"path": "a"}}]';
  expect(buildFork({ ...form, isEdited: true, content: 'Hello', calls }, 17)).toMatchObject({
    response: { content: 'Hello', calls: [{ name: 'write_file', arguments: { path: 'a' } }] },
  });
  expect(buildFork({ ...form, isEdited: true }, 17)).toMatchObject({ response: { content: '', calls: [] } });
  expect(buildFork({ ...form, content: 'not used' }, 17)).not.toHaveProperty('response');
});

it.each([
  ['[{', 'The calls are not JSON'],
  ['[{"name": 1}]', 'The answer is not valid at calls.0.name'],
  ['[{"name": "a", "extra": true}]', 'The answer is not valid at calls.0'],
])('says what is wrong with the calls %s', (calls, message) => {
  expect(buildFork({ ...form, isEdited: true, calls }, 17)).toContain(message);
});
