import { expect, it } from 'vitest';
import { findMentions, findUnknownNames, indexNames } from './find-mentions.js';

const names = indexNames([
  { label: 'BusinessObject', name: 'Retention rule', aliases: ['Aufbewahrungsregel'] },
  { label: 'BusinessObject', name: 'Retention', aliases: [] },
  { label: 'BusinessObject', name: 'Receipt', aliases: ['Quittung'] },
  { label: 'Message', name: 'GateClosed', aliases: [] },
]);

function describeMentions(text: string): string[] {
  const mentions = findMentions(text, names);
  // Offsets always give the words back.
  for (const { words, from, to } of mentions) expect(text.slice(from, to)).toBe(words);
  return mentions.map(({ words, label, name, match }) => `${words} = ${label} ${name} (${match})`);
}

it.each([
  ['A receipt is signed.', ['receipt = BusinessObject Receipt (name)']],
  ['Alle Quittungen werden signiert.', ['Quittungen = BusinessObject Receipt (inflected)']],
  ['Die Quittung.', ['Quittung = BusinessObject Receipt (alias)']],
  ['Each retention rule applies.', ['retention rule = BusinessObject Retention rule (name)']],
  ['Retention is long; rules differ.', ['Retention = BusinessObject Retention (name)']],
  [
    'GateClosed, gate closed: two forms.',
    ['GateClosed = Message GateClosed (name)', 'gate closed = Message GateClosed (name)'],
  ],
  ['😀 Die ÄRGERLICHE Quittung', ['Quittung = BusinessObject Receipt (alias)']],
  ['The gate is open. Receiptlessness, unreceipt.', []],
  ['', []],
])('finds the entities in %j', (text, expected) => {
  expect(describeMentions(text)).toEqual(expected);
});

it('finds marked names that are no mention', () => {
  const text =
    'The `crane_id` of "Crane operator" and the ShipArrived event follow GateClosed, „Hafen Nord“ and "one two three four five six".';
  const mentions = findMentions(text, names);
  const unknown = findUnknownNames(text, mentions);
  expect(unknown.map(({ words }) => words)).toEqual(['crane_id', 'Crane operator', 'ShipArrived', 'Hafen Nord']);
  for (const { words, from, to } of unknown) expect(text.slice(from, to)).toBe(words);
});
