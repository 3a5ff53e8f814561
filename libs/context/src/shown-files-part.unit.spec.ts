import { expect, it } from 'vitest';
import { renderShownFiles } from './shown-files-part.js';

it('renders each file in a fence that its text cannot end', () => {
  const parts = renderShownFiles([
    { path: 'plan/a.json', text: '{"a":1}\n' },
    { path: 'b.md', text: 'x\n````\ny' },
  ]);
  expect(parts.slice(3)).toEqual([
    ...['', '### plan/a.json', '```json', '{"a":1}', '```'],
    ...['', '### b.md', '`````md', 'x\n````\ny', '`````'],
  ]);
  expect(renderShownFiles([])).toEqual([]);
});

it('cuts what does not fit, and says so', () => {
  const parts = renderShownFiles([
    { path: 'a', text: 'a'.repeat(63_999) },
    { path: 'b', text: 'bcd' },
    { path: 'c', text: 'e' },
  ]);
  expect(parts.join('').length).toBeLessThan(64_400);
  expect(parts.filter((part) => part.startsWith('['))).toEqual([
    '[b is cut here: it has 3 characters.]',
    '[c is cut here: it has 1 characters.]',
  ]);
});
