import { expect, it } from 'vitest';
import { actorSchema, createRequestActor, getActorName } from './actor.js';

it.each([
  ['without a key and a name', undefined, undefined, { id: 'local', kind: 'person' }, 'local'],
  ['with a key', 'ci', undefined, { id: 'ci', kind: 'service' }, 'ci'],
  [
    'with a key for a person',
    'ci',
    'ada',
    { id: 'ci', kind: 'service', onBehalfOf: { id: 'ada', kind: 'person' } },
    'ada',
  ],
])('the actor of a request %s names sender and person apart', (_, sender, name, expected, shown) => {
  const actor = createRequestActor(sender, name);
  expect(actorSchema.parse(actor)).toEqual(expected);
  expect(getActorName(actor)).toBe(shown);
});
