import { expect, it } from 'vitest';
import { checkPerson, findNamedPerson } from './check-person.js';
import { PersonNotAllowed } from './submit-errors.js';

const requires = { person: 'user' };
const origin = { actor: { id: 'ada', kind: 'person' } } as const;
const check = (parameters: Record<string, string>, mayActForOthers?: boolean) => (): void =>
  checkPerson(requires, { agent: 'planner', parameters, mayActForOthers }, origin);

it('a job may name its submitter, or nobody', () => {
  expect(check({ user: 'ada' })).not.toThrow();
  expect(check({})).not.toThrow();
});

it('a job may name another person only if its sender may act for others', () => {
  expect(check({ user: 'bea' })).toThrow(PersonNotAllowed);
  expect(check({ user: 'bea' }, false)).toThrow(PersonNotAllowed);
  expect(check({ user: 'bea' }, true)).not.toThrow();
});

it('a parameter names a person only for agents that say so', () => {
  expect(findNamedPerson({}, { user: 'bea' })).toBeUndefined();
  expect(findNamedPerson(requires, { user: 'bea' })).toBe('bea');
});
