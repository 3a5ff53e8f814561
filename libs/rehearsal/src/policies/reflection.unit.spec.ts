import { expect, it } from 'vitest';
import { reflectionPolicy } from './reflection.js';

const ask = (...lines: readonly string[]) => ({
  model: 'rehearsal',
  messages: [
    { role: 'system', content: 'You reflect on an attempt of an agent that failed.' },
    { role: 'user', content: ['<attempt>', 'It failed: no luck', ...lines, '</attempt>'].join('\n') },
  ],
  tools: [],
  toolNames: [],
});

it.each([
  ['a call', ['Its last calls:', '- read_file {"path":"a b"} | failed | none'], '`read_file`'],
  ['a file', ['Its last calls:', '- find {} | completed', 'Its files:', '- src/a.ts'], '`src/a.ts`'],
  ['a test', ['Its tests:', '- adds two numbers'], '`adds two numbers`'],
  ['nothing, if there is nothing', [], '`nothing`'],
])('a rehearsed reflection names %s of the attempt', (_name, lines, expected) => {
  const request = ask(...lines);
  expect(reflectionPolicy.matches(request)).toBe(true);
  expect(reflectionPolicy.answer(request).content).toBe(`The attempt ended with ${expected} and failed: no luck`);
});
