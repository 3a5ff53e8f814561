import { text, type Data } from './event-data.js';

/** Arguments that say best what a call is about, in this order. */
const TELLING = [
  'path',
  'source',
  'document',
  'file',
  'query',
  'pattern',
  'quote',
  'todo_id',
  'todoId',
  'id',
  'summary',
  'url',
  'command',
];

/** What a tool call is about, in a few words: its most telling argument. Empty when none is. */
export function callSubject(args: Data): string {
  for (const key of TELLING) {
    const value = args[key];
    if (typeof value === 'number') return `#${value}`;
    if (typeof value === 'string' && value !== '') return value;
  }
  return (
    Object.keys(args)
      .map((key) => text(args, key))
      .find((value) => value !== undefined && value !== '') ?? ''
  );
}
