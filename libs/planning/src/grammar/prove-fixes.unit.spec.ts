import { expect, it } from 'vitest';
import { z } from 'zod';
import { validateArtifact, type ArtifactRules } from './validate-artifact.js';

const schema = z.strictObject({ tasks: z.array(z.string()), notes: z.array(z.string()) });
type Plan = z.infer<typeof schema>;

/** Every list must be empty. The fix removes its first item, which is a task in one of the lists. */
const rules: ArtifactRules<Plan> = {
  artifact: 'outline',
  schema,
  findViolations: (plan) =>
    (['tasks', 'notes'] as const)
      .filter((list) => plan[list].length > 0)
      .map((list) => ({
        ...{ code: 'node_duplicated', node: null, field: list, message: `${list} is not empty.` },
        instruction: `Empty ${list}.`,
        fixes: [{ description: `Empty ${list}.`, operations: [{ op: 'remove', path: `/${list}/0` }] }],
      })),
  listTasks: ({ tasks }) => tasks,
};

it('suggests no fix that drops a task', () => {
  const { violations } = validateArtifact({ tasks: ['a'], notes: ['b'] }, rules);
  expect(violations.map(({ field, remedy }) => [field, remedy.kind])).toEqual([
    ['tasks', 'instruction'],
    ['notes', 'fix'],
  ]);
});

it('suggests no fix that leaves its violation', () => {
  const { violations } = validateArtifact({ tasks: [], notes: ['b', 'c'] }, rules);
  expect(violations.map(({ remedy }) => remedy)).toEqual([{ kind: 'instruction', text: 'Empty notes.' }]);
});
