import { expect, it } from 'vitest';
import { nameFromYaml } from './name-from-yaml.js';

it('finds the name in YAML and in JSON', () => {
  expect(nameFromYaml('# An agent\nname: writer # short\ndisplayName: W\n')).toBe('writer');
  expect(nameFromYaml('{\n  "name": "a-2",\n  "displayName": "A"\n}')).toBe('a-2');
  expect(nameFromYaml('displayName: W\n')).toBeUndefined();
});
