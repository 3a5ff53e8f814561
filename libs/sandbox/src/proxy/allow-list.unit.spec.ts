import { expect, it } from 'vitest';
import { isAllowedHost } from './allow-list.js';

it.each([
  ['registry.example', 443, true],
  ['registry.example', 80, true],
  ['REGISTRY.example.', 443, true],
  ['registry.example', 22, false],
  ['a.registry.example', 443, false],
  ['registry.example.evil.example', 443, false],
  ['a.cdn.example', 443, true],
  ['cdn.example', 443, false],
  ['evilcdn.example', 443, false],
  ['git.example', 8443, true],
  ['git.example', 443, false],
])('%s:%i is allowed: %s', (host, port, isAllowed) => {
  expect(isAllowedHost(['registry.example', '*.cdn.example', 'git.example:8443'], host, port)).toBe(isAllowed);
});
